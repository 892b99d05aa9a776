"""Several languages at one table: before, during and after a game each player reads their own, and everybody else
the table's."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec
import pytest

from pi_app.displays.describe import describe
from pi_app.game import events as ev
from pi_app.report.moment import NO_GAME
from pi_app.settings.load import speaking
from pi_app.settings.model import Language, Settings
from pi_app.text.language import words
from tests.pi_app.play.loop.bad_disk import on_a_bad_disk
from tests.pi_app.playing import Played, settings, table

ANN: Language = "fr"
BEN: Language = "it"


def mixed() -> Settings:
    """Return a German table, with French for Ann and Italian for Ben."""
    small = settings()
    seats = {
        key: msgspec.structs.replace(small.seats[key], language=language)
        for key, language in (("ANN", ANN), ("BEN", BEN))
    }
    return replace(small, table=msgspec.structs.replace(small.table, language="de"), seats=MappingProxyType(seats))


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Played]:
    with table(tmp_path, mixed()) as played:
        played.lines.clear()
        yield played


def glass(at: Played, seat: str, language: str) -> str:
    return describe(at.pictures[seat], words(language)).translate({0xA0: " ", 0x202F: " "})


def plain(lines: list[str]) -> list[str]:
    return [line.translate({0xA0: " ", 0x202F: " "}) for line in lines]


def test_a_turn_is_told_to_each_in_their_own_language(at: Played) -> None:
    at.tap("ANN")
    assert glass(at, "ANN", ANN) == "À toi. Tourne un disque, puis tiens et lis."
    at.tap("BEN")
    assert glass(at, "BEN", BEN) == "Aspetta: qualcun altro sta girando."
    at.turn("T01", 3)
    at.press("ANN")
    assert glass(at, "ANN", ANN).startswith("T01 : Cage, clic 3, désamorcer 6+, PX 22. Enferme le Héros,")
    told = ["Ann dreht gleich einen Anzeiger.", "Ann dreht den Anzeiger von T01.", "T01: aufgedeckt von Ann."]
    assert at.heard("public") == at.heard("referee") == at.heard("log") == told
    assert plain(at.heard("seat ANN")) == [
        "Ann va tourner un disque.",
        "Ann tourne le disque de T01.",
        "T01 : découverte par Ann.",
    ]
    assert at.heard("seat BEN") == [
        "Ann sta per girare un quadrante.",
        "Ann gira il quadrante di T01.",
        "T01: svelata da Ann.",
    ]


ANSWERS = [
    ("hexpose T01 ANN", "Den Befehl „hexpose“ gibt es nicht; meinst du „expose“?"),
    ("claim CARL", "Es gibt keinen Platz und niemanden namens „CARL“; es gibt „ANN“ oder „BEN“."),
    ("disarm T01 BEN quick 1 1 1", "T01 ist versteckt: Decke es erst auf, das kostet nichts (T-DIS-10)."),
    ("rolled ANN 9", "Ein Würfel zeigt 1 bis 6, nicht „9“."),
    ("check", "Jeder Anzeiger steht in der Anfangseinstellung."),
    ("new", "Es läuft ein Spiel. Sag „ende“, bevor du ein neues beginnst."),
]


@pytest.mark.parametrize(("line", "told"), ANSWERS)
def test_a_word_of_the_table_is_answered_in_the_tables_language(at: Played, line: str, told: str) -> None:
    at.say(line)
    assert at.lines == [("referee", told)]


def test_a_finding_and_a_trap_that_went_off_are_told_to_each_in_their_own_language(at: Played) -> None:
    at.turn("T02", -2)
    at.run(1.0)
    assert "Befund T-AUD-4: T02 wurde im Uhrzeigersinn gedreht." in at.heard("referee")
    at.expose("ANN", "T01", 3)
    at.say("trigger T01 BEN entered")
    assert at.heard("public")[-1] == "T01: ausgelöst; Käfig; Ben ist eingesperrt, aus dem Spiel."
    assert plain(at.heard("seat ANN"))[-1] == "T01 : déclenchée ; Cage ; Ben enfermé, hors jeu."
    assert at.heard("seat BEN")[-1] == "T01: attivata; Gabbia; Ben dentro, fuori gioco."


def test_after_the_game_each_still_reads_their_own_language(at: Played) -> None:
    at.expose("ANN", "T01", 3)
    at.say("end")
    assert "Small table. Das Spiel ist aus. SIMULIERT: Kein echter Anzeiger wurde gelesen." in at.heard("public")
    assert "Small table. La partie est finie. SIMULÉ : aucun vrai disque n’a été lu." in plain(at.heard("seat ANN"))
    assert "Small table. La partita è finita. SIMULATO: non è stato letto nessun quadrante vero." in at.heard(
        "seat BEN"
    )
    assert at.heard("public")[-1].startswith("Das Protokoll hat ")
    at.press("ANN")
    assert glass(at, "ANN", ANN).startswith("T01 : Cage, clic 3")
    at.say("claim ANN")
    assert at.heard("referee")[-1] == "Es läuft kein Spiel. Tippe „neu“, um eines zu beginnen."


def test_before_a_game_each_reads_their_own_language(at: Played) -> None:
    at.demo.loop.session.moment = NO_GAME
    for seat in ("ANN", "BEN"):
        at.press(seat)
    assert [at.screens["ANN"], at.screens["BEN"]] == ["Pas de partie.", "Nessuna partita."]


def test_what_the_disk_refused_is_said_to_each_in_their_own_language(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        trouble = stack.enter_context(on_a_bad_disk(tmp_path))
        at = stack.enter_context(table(tmp_path, mixed()))
        trouble.number = errno.ENOSPC
        at.tap("ANN")
        told = [glass(at, "ANN", ANN), glass(at, "BEN", BEN)]
        trouble.number = None
    assert told == ["Pas noté : attends. Dis-le à la table.", "Non annotato: aspetta. Dillo."]


TYPED = {
    "en": [
        "claim ann",
        "drop ann",
        "disarm T01 ann quick 1 1 1",
        "enter T01 ben dodge 4 2",
        "hits T01 ben invulnerability 3 3",
        "enter T02 ben flying stops 1 1",
        "pass T02 ann n e flying roll anyway",
        "xp ann correction 5",
        "convert 3 figures 120 points",
        "end",
    ],
    "de": [
        "anmelden ann",
        "Abmelden ann",
        "entschaerfen T01 ann SCHNELL 1 1 1",
        "betreten T01 ben ausweichen 4 2",
        "treffen T01 ben unverwundbarkeit 3 3",
        "betreten T02 ben fliegen hält 1 1",
        "schneiden T02 ann n o fliegen würfeln trotzdem",
        "ep ann korrektur 5",
        "umwandeln 3 figuren 120 punkte",
        "ende",
    ],
    "es": [
        "reserva ann",
        "retira ann",
        "desactiva T01 ann rapido 1 1 1",
        "entra T01 ben esquivar 4 2",
        "golpea T01 ben invulnerabilidad 3 3",
        "entra T02 ben vuelo para 1 1",
        "corta T02 ann n e vuelo tira igualmente",
        "px ann corrección 5",
        "convierte 3 miniaturas 120 puntos",
        "fin",
    ],
    "fr": [
        "annonce ann",
        "retire ann",
        "désamorce T01 ann rapide 1 1 1",
        "entre T01 ben esquive 4 2",
        "frappe T01 ben invulnerabilite 3 3",
        "entre T02 ben vol arrête 1 1",
        "coupe T02 ann n e vol lance néanmoins",
        "px ann correction 5",
        "convertis 3 figurines 120 points",
        "fin",
    ],
    "it": [
        "prenota ann",
        "ritira ann",
        "disattiva T01 ann veloce 1 1 1",
        "entra T01 ben schivare 4 2",
        "colpisci T01 ben invulnerabilità 3 3",
        "entra T02 ben volo ferma 1 1",
        "taglia T02 ann n e volo tira comunque",
        "pe ann correzione 5",
        "converti 3 modelli 120 punti",
        "fine",
    ],
}
"""The same game as it is typed in each language."""


def typed_game(folder: Path, language: str, lines: list[str]) -> tuple[list[ev.AnyEvent], list[str]]:
    """The events after the first one, and what the referee read."""
    folder.mkdir()
    with table(folder, speaking(settings(), [language])) as at:
        at.rolls(5)
        at.expose("ANN", "T01", 3)
        at.lines.clear()
        for line in lines:
            at.say(line)
        return at.events()[1:], at.heard("referee")


@pytest.mark.parametrize("language", TYPED)
def test_a_game_typed_in_the_tables_language_has_the_events_of_one_typed_in_english(
    tmp_path: Path, language: str
) -> None:
    own, told = typed_game(tmp_path / "own", language, TYPED[language])
    english, told_in_english = typed_game(tmp_path / "english", language, TYPED["en"])
    assert own == english
    assert told == told_in_english
    kinds = [type(event) for event in own]
    assert [kinds.count(kind) for kind in (ev.ClaimDropped, ev.DisarmTried, ev.Moved, ev.Earned, ev.Ended)] == [
        *(1, 1, 4, 1, 1)
    ]


def test_help_lists_the_tables_words_with_the_english_ones(at: Played) -> None:
    at.say("hilfe")
    assert (
        at.heard("referee")[0]
        == "anmelden PLATZ (claim): den nächsten Anzeiger, der sich dreht, für einen Platz anmelden"
    )
    assert [line.partition(" (")[0] for line in at.heard("referee")][12] == (
        "entschärfen FELD PLATZ schnell|langsam WÜRFEL WÜRFEL WÜRFEL [tempo N] [tarnung] [leichtfüßig] "
        "[überraschung] [ausweichen]"
    )
    assert "status: alles noch einmal zeigen" in at.heard("referee")
