"""A sentence for the table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from pi_app.text.language import Words


class Note(msgspec.Struct, frozen=True, gc=False):
    """A message of the catalogue; `values` fill its placeholders as they are, `marked` in the reader's language.
    `typed` are lines that a player may type, in English."""

    message: str
    values: Mapping[str, object] = MappingProxyType({})
    marked: Mapping[str, str] = MappingProxyType({})
    typed: Mapping[str, str] = MappingProxyType({})

    def text(self, words: Words) -> str:
        """The sentence in the reader's language."""
        marked = {key: words(text) for key, text in self.marked.items()}
        return words(self.message).format(**self.values, **marked, **self.typed)
