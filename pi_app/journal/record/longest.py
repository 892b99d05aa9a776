"""Build the longest event of each kind from the types of its fields, to compute how long an entry of a game can get.

The type of a field often bounds it: a literal, a number with limits, a truth value. All other fields are texts, numbers
and lists whose longest value only the game knows. It gives them by name.
"""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from pi_app.journal.record.entry import SealedPart, SquareContent, sealed_text_bytes

DIGEST: Final = "0" * 32
"""As long as the digests in an entry."""

MOST_NS: Final = 2**63 - 1
"""The last nanosecond that Linux can count since its start: 292 years."""


class UnboundedError(TypeError):
    """A field has no longest value: neither its type nor the game limits it."""


def json_bytes(value: object) -> int:
    """Return the length of a value as JSON, in bytes of UTF-8. Quotes and escapes count."""
    return len(msgspec.json.encode(value))


def sealed_text(event: Mapping[str, object], salts: dict[str, str], shown: SquareContent | None) -> int:
    """Return the length of the text of a sealed half with this event."""
    encoded = msgspec.Raw(msgspec.json.encode(event))
    return sealed_text_bytes(SealedPart(event=encoded, seats=DIGEST, shown=shown, salts=salts))


def longest_event(kind: type[msgspec.Struct], known: Mapping[str, object]) -> dict[str, object]:
    """Return the longest event of a class as plain JSON values.

    `known`: the longest value of each field that its type does not bound, as `class.field` or, for all classes,
    `field`. Raises UnboundedError for a field that is not there.
    """
    config = kind.__struct_config__
    tag = {} if config.tag_field is None else {config.tag_field: config.tag}
    return {**tag, **{name: _longest(hint, f"{kind.__name__}.{name}", known) for name, hint in _hints(kind).items()}}


@functools.cache
def _hints(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return dict(zip(kind.__struct_encode_fields__, (hints[name] for name in kind.__struct_fields__), strict=True))


def _longest(hint: Any, place: str, known: Mapping[str, object]) -> object:
    bounds, origin = get_args(hint), get_origin(hint)
    for name in (place, place.rpartition(".")[2]):
        if name in known:
            return max(known[name], None if type(None) in bounds else known[name], key=json_bytes)
    if origin is Annotated:
        return _within(bounds, place, known)
    if origin is Literal:
        return max(bounds, key=json_bytes)
    if origin in (Union, types.UnionType):
        return max((_longest(each, place, known) for each in bounds), key=json_bytes)
    if origin is tuple and Ellipsis not in bounds:
        return [_longest(each, place, known) for each in bounds]
    if hint is bool:
        return False
    if hint is type(None):
        return None
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return max((each.value for each in hint), key=json_bytes)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return longest_event(hint, known)
    raise UnboundedError(f"{place} can be of any length: neither its type nor the game limits it")


def _within(bounds: tuple[Any, ...], place: str, known: Mapping[str, object]) -> object:
    """Return the longest of the limits of an annotated number, or what its plain type gives."""
    for meta in bounds[1:]:
        if isinstance(meta, msgspec.Meta) and meta.ge is not None and meta.le is not None:
            return max((int(meta.ge), int(meta.le)), key=json_bytes)
        if isinstance(meta, msgspec.Meta) and meta.ge is not None and meta.lt is not None:
            return max((int(meta.ge), int(meta.lt) - 1), key=json_bytes)
    return _longest(bounds[0], place, known)
