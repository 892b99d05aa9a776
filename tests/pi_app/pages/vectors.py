"""Bytes that the page's script and the table must agree on.

`python -m tests.pi_app.pages.vectors golden` writes `golden.json` again. `python -m tests.pi_app.pages.vectors N SEED`
prints N lines of JSON, each with random keys and what libsodium makes of them, for a run of the script:

    {"down": HEX, "slot": HEX, "number": N, "text": HEX, "frame": HEX,
     "up": HEX, "counter": N, "kind": N, "nonce": HEX, "tail": HEX, "post": HEX}

Every hundredth line also has a whole join: `code`, `game`, `phone_secret`, `join_nonce`, `join_tail`, `join`,
`greeting`; then `down`, `up` and `slot` are those of this join.
"""

from __future__ import annotations

import json
import random
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from pi_app.pages import sealing
from pi_app.pages.sealing import Session, answer_join, hchacha20, seal_frame
from pi_app.simulated.phone import knock, sealed_post

GOLDEN: Final = Path(__file__).with_name("golden.json")
JOIN_EVERY: Final = 100
LONGEST_TEXT: Final = 300

TEXTS: Final = (
    '{"v":1,"seat":"ANN","name":"Änn – 安"}',
    "{}",
    '{"v":1,"picture":{"kind":"say","lines":["Ж"],"label":""}}',
)
LOW_ORDER: Final = (
    "00" * 32,
    "01" + "00" * 31,
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
)
"""Public keys that make an exchange zero: both ends refuse them."""


def fixed(*parts: bytes) -> Callable[[int], bytes]:
    """Randomness that is known before: these parts in turn, each of the size that is asked for."""
    left = iter(parts)

    def take(size: int) -> bytes:
        part = next(left)
        assert len(part) == size
        return part

    return take


def run(start: int, size: int) -> bytes:
    """Bytes that count up."""
    return bytes((start + n) % 256 for n in range(size))


def padded(text: str, frame_bytes: int) -> bytes:
    said = text.encode()
    return (struct.pack(">I", len(said)) + said).ljust(frame_bytes - sealing.FRAME_OVERHEAD, b"\0")


def golden() -> dict[str, Any]:
    """Everything once, with known randomness."""
    code, phone_secret, table_secret = run(0x10, 16), run(0x40, 32), run(0x80, 32)
    nonce, tail, slot = run(0xC0, 24), run(0xE0, 24), run(0x20, 16)
    game = run(0x30, 16)
    body, finish = knock(code, fixed(phone_secret, nonce, tail), game=game)
    joined = answer_join(code, body, fixed(table_secret, slot), game)
    assert joined is not None
    session, greeting = joined
    assert finish(greeting).slot == slot
    shared = sealing.exchanged(phone_secret, greeting[:32])
    assert shared is not None
    return {
        "about": "python -m tests.pi_app.pages.vectors golden",
        "hchacha20": {
            "key": run(0, 32).hex(),
            "in": "000000090000004a0000000031415927",
            "out": hchacha20(run(0, 32), bytes.fromhex("000000090000004a0000000031415927")).hex(),
        },
        "low_order": list(LOW_ORDER),
        "join": {
            **_hex(code=code, game=game, phone_secret=phone_secret, nonce=nonce, tail=tail, body=body),
            "fragment": "CAIREEYUCULBOGAZDINRYHI6D4",
        },
        "greeting": _hex(
            table_secret=table_secret, slot=slot, shared=shared, greeting=greeting, down=session.down, up=session.up
        ),
        "frames": [_frame(session, number, text) for number, text in zip((1, 2, 2**40 + 3), TEXTS, strict=True)],
        "posts": [_post(session, counter, kind) for counter, kind in enumerate(sealing.KINDS, 2**33)],
    }


def _hex(**values: bytes) -> dict[str, str]:
    return {name: value.hex() for name, value in values.items()}


def _frame(session: Session, number: int, text: str) -> dict[str, Any]:
    nonce = run(number % 251, 24)
    frame = seal_frame(session, number, padded(text, 512), fixed(nonce))
    return {"number": number, "text": text, **_hex(nonce=nonce, frame=frame)}


def _post(session: Session, counter: int, kind: int) -> dict[str, Any]:
    nonce, tail = run(kind, 24), run(kind + 100, 40)
    body = sealed_post(session, counter, kind, fixed(nonce, tail))
    return {"counter": counter, "kind": kind, **_hex(nonce=nonce, tail=tail, body=body)}


def lines(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Random keys, frames and posts, the same for the same seed."""
    draw = random.Random(seed)
    for number in range(count):
        line: dict[str, Any] = {}
        session = Session(draw.randbytes(16), draw.randbytes(32), draw.randbytes(32))
        if number % JOIN_EVERY == 0:
            session, line = _joined(draw)
        text, nonce, tail = draw.randbytes(draw.randrange(4, LONGEST_TEXT)), draw.randbytes(24), draw.randbytes(40)
        counter, kind = draw.randrange(sealing.MOST_NUMBER), draw.choice(sealing.KINDS)
        yield line | {
            "number": counter,
            "counter": counter,
            "kind": kind,
            **_hex(
                down=session.down,
                slot=session.slot,
                text=text,
                frame=seal_frame(session, counter, text, draw.randbytes),
                up=session.up,
                nonce=nonce,
                tail=tail,
                post=sealed_post(session, counter, kind, fixed(nonce, tail)),
            ),
        }


def _joined(draw: random.Random) -> tuple[Session, dict[str, Any]]:
    code, game, phone_secret, nonce, tail = (draw.randbytes(size) for size in (16, 16, 32, 24, 24))
    body, _ = knock(code, fixed(phone_secret, nonce, tail), game=game)
    joined = answer_join(code, body, draw.randbytes, game)
    assert joined is not None
    named = _hex(code=code, game=game, phone_secret=phone_secret, join_nonce=nonce, join_tail=tail, join=body)
    return joined[0], {**named, "greeting": joined[1].hex()}


def main(arguments: list[str]) -> None:
    if arguments == ["golden"]:
        GOLDEN.write_text(json.dumps(golden(), indent=1) + "\n", encoding="utf-8")
        return
    count, seed = (int(each) for each in arguments)
    for line in lines(count, seed):
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
