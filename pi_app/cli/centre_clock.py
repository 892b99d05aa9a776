"""`trapdial centre clock`: what a centre thinks of its clock, and a person's word that it is right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.centre_options import centre_settings_option, json_option, opened_store
from pi_app.cli.printing import echo, echo_json
from pi_app.text import exit_codes
from pi_app.text.language import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pi_app.centre.clock.machine import ClockReading
    from pi_app.centre.settings import CentreSettings
    from pi_app.centre.store.clock_rows import ClockAcceptance
    from pi_app.centre.store.store import CentreStore

IN_ORDER: Final = "The clock is in no doubt: the centre cosigns."
NO_NETWORK: Final = "the machine's own, for no network has set it since the start"
BY_PERSON: Final = "A person has accepted this clock. That counts until the machine starts again."
NOTHING: Final = "The clock is in no doubt, so there is nothing to accept."
ACCEPTED: Final = (
    "Accepted: this clock is right, until the machine starts again. A running centre cosigns within seconds."
)
SIGNS: Final = "From now on the centre signs the date that this machine shows. If that is wrong, each cosignature is."
RENEWED: Final = "{what} named a time that has not come yet, up to {until}, and {was} made again with the time of now."
MEANS: Final = (
    "The earlier cosignatures still prove the entries, and their dates prove nothing. They remain in the journals of "
    "tables, in the centre's own log and with its witnesses. A table without a clock may have taken its date from one, "
    "and keeps that until its machine starts again. From now on `trapdial centre clock` shows this to auditors."
)


@click.command()
@click.option("--accept", is_flag=True, help="Say that the clock is right, and let the centre cosign.")
@centre_settings_option
@json_option
@click.pass_context
def clock(context: click.Context, accept: bool, settings_file: Path, as_json: bool) -> None:
    """Print what the centre thinks of this machine's clock; with --accept, say that the clock is right.

    A centre whose clock is in doubt takes entries and does not cosign them. Most doubts end when the network sets the
    date. If they do not, compare the date with another clock, and accept it on the machine that the centre runs on. The
    centre may run meanwhile.

    --accept replaces cosignatures that name a time that has not come yet, and prints what that means for the evidence.

    Exit code 1 if the clock is in doubt.
    """
    from pi_app.centre.clock.machine import this_clock
    from pi_app.centre.clock.watch import doubt_words

    with opened_store(settings_file) as (settings, store):
        now = this_clock()
        words = doubt_words(store, settings.name, settings.log_origins, now)
        if accept:
            if words:
                _accept(settings, store, now)
            else:
                echo(NOTHING)
            return
        _show(settings, store, now, words, as_json=as_json)
    context.exit(exit_codes.FOUND if words else exit_codes.FINE)


def _accept(settings: CentreSettings, store: CentreStore, now: ClockReading) -> None:
    """Accept the clock. Raises UserFileError for a date that cannot be right."""
    from pi_app.centre.clock.accepting import accept_clock
    from pi_app.centre.key_file import read_key
    from pi_app.journal.record.words import when
    from pi_app.play.power import Date
    from pi_app.text.errors import UserFileError

    if now.source is Date.WRONG:
        seen = f"this machine shows {when(int(now.now_s))}, which cannot be right"
        raise UserFileError.at("--accept", "", seen, "Set the date, or connect the machine to the network")
    key = read_key(settings.beside(settings.key), settings.name)
    acceptance = accept_clock(store, key, now, settings.log_origins)
    echo(ACCEPTED)
    if acceptance.renewed:
        what, was = count_of(acceptance.renewed, "newest cosignature"), "was" if acceptance.renewed == 1 else "were"
        echo(RENEWED.format(what=what, until=when(acceptance.until_s), was=was))
        echo(MEANS)
    echo(SIGNS)


def _show(settings: CentreSettings, store: CentreStore, now: ClockReading, words: str, *, as_json: bool) -> None:
    import msgspec

    from pi_app.centre.clock.doubts import fits
    from pi_app.centre.clock.watch import newest_time
    from pi_app.journal.record.words import when
    from pi_app.play.power import Date

    newest_s = newest_time(store, settings.name, settings.log_origins)
    anchor, acceptances = store.clock.anchor(now.boot), store.clock.acceptances()
    by_person = anchor is not None and anchor.by_person and fits(anchor, now)
    if as_json:
        facts = {
            "now_s": int(now.now_s),
            "source": now.source.value,
            "newest_s": newest_s or None,
            "accepted": by_person,
            "doubt": words,
            "acceptances": acceptances,
        }
        echo_json(msgspec.json.encode(facts).decode())
        return
    source = NO_NETWORK if now.source is Date.UNSET and not now.keeps_none else now.source.value
    echo(f"This machine shows {when(int(now.now_s))}. Its date: {source}.")
    echo(f"The newest cosignature names {when(newest_s)}." if newest_s else "Nothing was cosigned yet.")
    if by_person:
        echo(BY_PERSON)
    _list(acceptances)
    echo(words or IN_ORDER)


def _list(acceptances: Sequence[ClockAcceptance]) -> None:
    from pi_app.journal.record.words import when

    for each in acceptances:
        if each.renewed:
            seen = "One that names a time between these two proves its entries, and not its date"
            echo(f"Accepted on {when(each.at_s)}: cosignatures had named times up to {when(each.until_s)}. {seen}.")
        else:
            echo(f"Accepted on {when(each.at_s)}. No cosignature named a later time.")
