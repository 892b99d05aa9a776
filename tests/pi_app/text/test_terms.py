"""The printed sheets' terms in every translation: words that they do not use, and words that they do."""

from __future__ import annotations

import re

import pytest

from tests.catalogues import forms, read, translated

FORBIDDEN: dict[str, dict[str, str]] = {
    "de": {
        "verdeckt": "versteckt",
        "abschnitt": "Sektion",
        r"freien? drehung": "Gratisdrehung",
        "fehlschl": "kritische Patzer",
        "spritzer": "Feuer/Blitz",
        "drehbar": "rotierend",
        "zurückschl": "Gegenangriff",
        "schlägt zurück": "Gegenangriff",
        "scharfe": "nicht entschärft",
        "truhe(?<!schatztruhe)": "Schatztruhe",
        "korridor": "Gang",
        "erfahrung(?!sp|en)": "Erfahrungspunkte",
    },
    "es": {
        "mazmorra": "dungeon",
        r"\bsalas?\b": "habitación",
        r"\bfiguras?\b": "miniatura",
        "contragolpe": "contraataque",
        r"\bdesarm": "desactivar",
        "corredor": "pasillo",
    },
    "fr": {
        "miniature": "figurine",
        r"\bdésarmer": "désamorcer",
        "ripost": "contre-attaque",
        "couloir": "corridor",
        "cadran": "disque",
    },
    "it": {
        r"\bdungeon\b": "sotterraneo",
        "miniatur": "modello",
        r"\bfigur[ae]\b": "modello",
        "disinnesc": "disattivare",
        "forzier": "scrigno",
    },
}
"""Language -> pattern of a word that its sheet does not use -> the printed word."""
ELSEWHERE = {
    ("de", "verdeckt"): "face down",
    ("it", r"\bdungeon\b"): "3D Dungeons",
}
"""Where the word stands for something else, this stands in the English sentence: a token or a room that lies face
down, the name of the game."""


def translations(language: str) -> list[tuple[str, str]]:
    """Every English sentence with its translation."""
    return [
        (" ".join(forms(message.id)), form) for message in translated(read(language)) for form in forms(message.string)
    ]


@pytest.mark.parametrize(
    ("language", "word"), [(language, word) for language, words in FORBIDDEN.items() for word in words]
)
def test_no_translation_uses_a_word_that_its_sheet_does_not(language: str, word: str) -> None:
    other = ELSEWHERE.get((language, word))
    found = [
        (english, told)
        for english, told in translations(language)
        if re.search(word, told, re.IGNORECASE) and (other is None or other not in english)
    ]
    assert found == [], f"the sheet says {FORBIDDEN[language][word]}"


PRINTED: dict[str, dict[str, str]] = {
    r"\bfree spin": {"de": "Gratisdrehung"},
    r"\bcritical miss": {"de": "kritischen? Patzer"},
    r"\bFlame/Lightning": {"de": "Feuer/Blitz"},
    r"\bsection\b": {"de": "Sektion"},
    r"\brotating room": {"de": "rotierend", "es": "habitaci[oó]n", "it": "stanz[ae]"},
    r"\bthe dungeon\b": {"es": "dungeon", "it": "sotterraneo", "fr": "donjon"},
    r"\bis concealed\b": {"de": "versteckt", "es": "oculta", "fr": "cachée", "it": "nascosta"},
    r"\bNimble\b": {"de": "Leichtfüßigkeit", "es": "Veloz", "fr": "Agil", "it": "Agilità"},
    r"\bStealth\b": {"de": "Tarnung", "es": "Infiltración", "fr": "Discrétion", "it": "Nascondersi"},
    r"\bSneak Attack\b": {
        "de": "Überraschungsangriff",
        "es": "Ataque furtivo",
        "fr": "Attaque Sournoise",
        "it": "Attacco Furtivo",
    },
    r"\bShockwave\b": {"de": "Schockwelle", "es": "Ola de choque", "fr": "Onde de Choc", "it": "Onda d.Urto"},
    r"\bToughness\b": {"de": "Zähigkeit", "es": "Resistencia", "fr": "Résistance", "it": "Resistenza"},
    r"\bInvulnerability\b": {
        "de": "Unverwundbarkeit",
        "es": "Invulnerabilidad",
        "fr": "Invulnérabilité",
        "it": "Invulnerabilità",
    },
    r"\bDodge\b": {"de": "ausweichen|ausgewichen", "es": "Esquivar", "fr": "Esquive", "it": "Schivare"},
    r"\bSweep\b": {"de": "Rundumschlag", "es": "Barrido", "fr": "Balayage", "it": "Fendente"},
    r"\bMage Spawn\b": {"de": "Mage.Spawn", "es": "Engendros? de Magia", "fr": "Créature", "it": "Stirpe Magica"},
    r"\bmonster token": {
        "de": "Monster-Marke",
        "es": "marcador de monstruo",
        "fr": "jeton de monstre",
        "it": "segnalin[oi] di mostri",
    },
    r"\bcounterattack": {"de": "Gegenangriff", "es": "contraata", "fr": "contre-atta", "it": "contratta"},
    r"\bbreaks? away\b": {"de": "losreißen|reißt .*los", "es": "separa", "fr": "romp", "it": "disimpegn"},
    r"\bspeed points?\b": {
        "de": "Bewegungspunkt",
        "es": "puntos? de velocidad",
        "fr": "points? de vitesse",
        "it": "punt[oi] movimento",
    },
    r"\bhindering terrain\b": {
        "de": "schwieriges Gelände",
        "es": "terreno obstaculizado",
        "fr": "terrain gênant",
        "it": "terreno difficile",
    },
    r"\bclear terrain\b": {
        "de": "offenes Gelände",
        "es": "terreno despejado",
        "fr": "terrain dégagé",
        "it": "terreno sgombro",
    },
    r"\bdead end\b": {"de": "Sackgasse", "es": "callejón sin salida", "fr": "cul-de-sac", "it": "vicolo cieco"},
    r"\bhallway": {"de": r"\bG[aä]ng", "es": "pasillo", "fr": "corridor", "it": "corridoi"},
    r"\bchest": {"de": "Schatztruhe", "es": "cofre", "fr": "coffre", "it": "scrign"},
}
"""Pattern of an English term -> what each sheet prints for it (the glossary of the rules)."""


@pytest.mark.parametrize(("term", "language"), [(term, language) for term in PRINTED for language in PRINTED[term]])
def test_every_translation_of_a_term_has_the_printed_word(term: str, language: str) -> None:
    wanted = PRINTED[term][language]
    sentences = [pair for pair in translations(language) if re.search(term, pair[0])]
    assert [pair for pair in sentences if not re.search(wanted, pair[1], re.IGNORECASE)] == []
