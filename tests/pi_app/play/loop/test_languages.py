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
    ("claim CARL", "Es gibt keinen Platz, keinen Helden und niemanden namens „CARL“; es gibt „ANN“ oder „BEN“."),
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
        "hero ann aria nimble sneak speed 8",
        "disarm T01 aria quick 1 1 1",
        "enter T01 ben dodge",
        "undo",
        "start T01 ben movement dodge",
        "pass T02 aria n e anyway",
        "xp ann correction 5",
        "kill ann spawn by venom 12",
        "convert 3 figures 120 points",
        "enter T02 figure ben",
        "end",
    ],
    "de": [
        "anmelden ann",
        "Abmelden ann",
        "held ann aria leichtfüßig überraschung tempo 8",
        "entschaerfen T01 aria SCHNELL 1 1 1",
        "betreten T01 ben ausweichen",
        "widerrufen",
        "beginnen T01 ben bewegung ausweichen",
        "schneiden T02 aria n o trotzdem",
        "ep ann korrektur 5",
        "töten ann spawn durch gift 12",
        "umwandeln 3 figuren 120 punkte",
        "betreten T02 figur ben",
        "ende",
    ],
    "es": [
        "reserva ann",
        "retira ann",
        "héroe ann aria veloz furtivo velocidad 8",
        "desactiva T01 aria rapido 1 1 1",
        "entra T01 ben esquivar",
        "deshaz",
        "empieza T01 ben movimiento esquivar",
        "corta T02 aria n e igualmente",
        "px ann corrección 5",
        "baja ann engendro por veneno 12",
        "convierte 3 miniaturas 120 puntos",
        "entra T02 miniatura ben",
        "fin",
    ],
    "fr": [
        "annonce ann",
        "retire ann",
        "heros ann aria agile sournoise vitesse 8",
        "désamorce T01 aria rapide 1 1 1",
        "entre T01 ben esquive",
        "annule",
        "commence T01 ben mouvement esquive",
        "coupe T02 aria n e néanmoins",
        "px ann correction 5",
        "tue ann créature par venin 12",
        "convertis 3 figurines 120 points",
        "entre T02 figurine ben",
        "fin",
    ],
    "it": [
        "prenota ann",
        "ritira ann",
        "eroe ann aria agile furtivo velocità 8",
        "disattiva T01 aria veloce 1 1 1",
        "entra T01 ben schivare",
        "annulla",
        "comincia T01 ben movimento schivare",
        "taglia T02 aria n e comunque",
        "pe ann correzione 5",
        "uccidi ann stirpe con veleno 12",
        "converti 3 modelli 120 punti",
        "entra T02 modello ben",
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
    counted = (ev.ClaimDropped, ev.HeroNamed, ev.DisarmTried, ev.Undone, ev.Moved, ev.Earned, ev.Triggered, ev.Ended)
    assert [kinds.count(kind) for kind in counted] == [1, 1, 1, 1, 4, 2, 1, 1]


def test_help_lists_the_tables_words_with_the_english_ones(at: Played) -> None:
    at.say("hilfe")
    assert (
        at.heard("referee")[0]
        == "anmelden PLATZ (claim): den nächsten Anzeiger, der sich dreht, für einen Platz anmelden"
    )
    assert [line.partition(" (")[0] for line in at.heard("referee")][13] == (
        "entschärfen FELD WER schnell|langsam WÜRFEL WÜRFEL [WÜRFEL] [tempo N] [tarnung] [leichtfüßig] "
        "[überraschung] [ausweichen] [tragend|gesehen]"
    )
    assert "status: alles noch einmal zeigen" in at.heard("referee")
