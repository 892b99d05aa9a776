"""The section [centre] of the settings: the centre that the table's record is handed over to. Without it nothing is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pi_app.sender.web_address import LONGEST_ADDRESS, web_address
from pi_app.text.user_file import Complaints, seen_as

PLACE: Final = "[centre]"

CentreAddress = Annotated[
    str,
    Meta(min_length=1, max_length=LONGEST_ADDRESS, description="an address such as 'https://centre.example/'"),
]


class CentreSection(msgspec.Struct, frozen=True, kw_only=True):
    """[centre]: where the record goes. `key`: of the centre, as its owner publishes it: name, id and key with + between
    them. `authority`: a file with the certificate that signs the centre's, or empty if the system trusts it."""

    address: CentreAddress
    key: Annotated[str, Meta(min_length=1, max_length=1_000, description="the centre's key, which contains two +")]
    authority: Annotated[str, Meta(max_length=200, description="a file name, or empty for none")] = ""


def check_centre(centre: Mapping[str, object], complaints: Complaints) -> None:
    """Report an address or a key that is none, and what does not go together in [centre]."""
    if not centre:
        return
    from pi_app.journal.cosigned import cosigner_key

    address, key = centre.get("address"), centre.get("key")
    if isinstance(address, str):
        try:
            web_address(address)
        except ValueError as error:
            mend = f"{error}; write one such as 'https://centre.example/'"
            complaints.error(PLACE, seen_as("address", address), mend)
        else:
            if centre.get("authority") and not address.startswith("https:"):
                complaints.error(PLACE, "authority", "is for an address that begins with https:; leave it out")
    if isinstance(key, str):
        try:
            cosigner_key(key)
        except ValueError as error:
            complaints.error(PLACE, "key", f"{error}; copy it once more from where the centre's owner publishes it")
