"""The languages that Trapdial speaks. A new one is a line here and a catalogue: wiring_docs/languages.md."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

OWN_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "en": "English",
        "de": "Deutsch",
        "es": "Español",
        "fr": "Français",
        "it": "Italiano",
    }
)
"""The code of each language, as the settings name it, and its own name."""

LANGUAGES: Final = tuple(OWN_NAMES)
