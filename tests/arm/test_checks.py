"""The comparison of two machines, with two machines that are this one; the stage's own machine is not needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.arm import checks
from tests.arm.checks import HEAD, Differs, difference
from tests.arm.machines import Machine, Ran, this_machine
from tests.arm.root import PROJECT


@dataclass(frozen=True)
class Fake(Machine):
    """A machine whose every program prints this and ends with this exit code."""

    printed: bytes = b""
    code: int = 0

    def python(self, folder: Path, *words: str, seconds: float = 300) -> Ran:
        return Ran(self.code, self.printed, b"it broke\n")


def _fake(name: str, printed: bytes, code: int = 0) -> Fake:
    return Fake(name, str(PROJECT), printed=printed, code=code)


def test_the_first_difference_is_named_with_its_line() -> None:
    here, there = {"a": b"1\n", "b": b"same\nmine\n"}, {"a": b"1\n", "b": b"same\ntheirs\n"}
    assert difference(here, here) is None
    assert difference(here, there) == "b differs: line 2 is b'mine' on amd64 and b'theirs' on arm64"
    assert difference(here, {"a": b"1\n"}) == "b exists on amd64 only"
    assert difference({}, {"c": b""}) == "c exists on arm64 only"
    assert difference({"a": b"1\n"}, {"a": b"1\n2\n"}) == "a differs: 2 bytes on amd64, 4 on arm64"


def test_a_demo_that_prints_other_bytes_fails(tmp_path: Path) -> None:
    with pytest.raises(Differs) as raised:
        checks.demo(_fake("amd64", b"T01: exposed\n"), _fake("arm64", b"T02: exposed\n"), tmp_path)
    assert str(raised.value) == (
        "what it prints differs: line 1 is b'T01: exposed' on amd64 and b'T02: exposed' on arm64"
    )


def test_a_program_that_fails_on_both_machines_alike_fails(tmp_path: Path) -> None:
    with pytest.raises(Differs) as raised:
        checks.demo(_fake("amd64", b"", 1), _fake("arm64", b"", 1), tmp_path)
    assert str(raised.value) == "a program ended on amd64 with exit code 1, not 0:\nit broke"


def test_a_record_s_head_is_no_difference(tmp_path: Path) -> None:
    said = b"T01: exposed\nTRAPDIAL1 2VINYLT6HM VQOYR2LKI4 45J55MAU\n"
    assert checks.play(_fake("amd64", said), tmp_path) == {"what it prints": b"T01: exposed\n(a head)\n"}


@pytest.mark.slow
def test_a_damaged_journal_is_refused_by_both_verifiers_and_an_honest_one_is_not(tmp_path: Path) -> None:
    machine = this_machine()
    assert {"what it prints", "public.jsonl"} <= checks.play(machine, tmp_path).keys()
    journal = tmp_path / "demo-amd64" / checks.JOURNAL
    entries = checks.damage(journal, journal.with_name("damaged.db"))
    assert entries > checks.DAMAGED_ENTRY
    honest = checks.verified(machine, journal.parent, journal.name)
    damaged = checks.verified(machine, journal.parent, "damaged.db")
    assert all(ran.code in (checks.OK, checks.INTERRUPTED) for ran in honest.values())
    assert {what: ran.code for what, ran in damaged.items()} == {
        "trapdial journal verify": checks.DAMAGED,
        "journal_verifier.py": checks.DAMAGED,
    }


@pytest.mark.slow
def test_journals_that_a_machine_finds_damaged_fail(tmp_path: Path) -> None:
    machine = Machine("amd64", str(PROJECT))
    other = Machine("arm64", str(PROJECT))
    for each in (machine, other):
        checks.play(each, tmp_path)
    bad = tmp_path / "demo-arm64"
    checks.damage(bad / checks.JOURNAL, bad / "damaged.db")
    (bad / "damaged.db").replace(bad / checks.JOURNAL)
    with pytest.raises(Differs, match="a program ended on amd64 with exit code 4, not 0 or 3"):
        checks.journals(machine, other, tmp_path)


def test_a_demo_without_a_journal_fails(tmp_path: Path) -> None:
    with pytest.raises(Differs, match="the demo on amd64 left no journal"):
        checks.journals(_fake("amd64", b""), _fake("arm64", b""), tmp_path)


def test_a_head_is_left_out_on_one_line_and_on_several() -> None:
    told = b"head: TRAPDIAL1 ABCDEFGHIJ KLMNOPQRST\nUVWXYZ2345 AB\nTo compare, type TRAPDIAL1 AB\n\nThe end\n"
    assert HEAD.sub(b"(a head)", told) == b"head: (a head)\nTo compare, type (a head)\n\nThe end\n"
