"""A sentence for the table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from pi_app.text.language import Words
from pi_app.text.table_words import to_type


class Note(msgspec.Struct, frozen=True, gc=False):
    """A message of the catalogue; `values` fill its placeholders as they are, `marked` in the reader's language.

    `typed`: lines of the table's words to type, such as `hits {square} DIE DIE`; the same values fill them."""

    message: str
    values: Mapping[str, object] = MappingProxyType({})
    marked: Mapping[str, str] = MappingProxyType({})
    typed: Mapping[str, str] = MappingProxyType({})

    def text(self, words: Words) -> str:
        """The sentence in the reader's language."""
        marked = {key: words(text) for key, text in self.marked.items()}
        typed = {key: to_type(line, words, self.values) for key, line in self.typed.items()}
        return words(self.message).format(**self.values, **marked, **typed)
