"""What a person is told of a connection that was refused before a request was sent: its certificate is wrong."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_NOT_YET, _EXPIRED, _OTHER_NAME, _OTHER_ADDRESS = 9, 10, 62, 64
"""OpenSSL's results of a check (X509_V_ERR_..., openssl/x509_vfy.h)."""

_SEEN: Final[Mapping[int, str]] = {
    _NOT_YET: "a certificate that is not valid yet. Check the date of this machine",
    _EXPIRED: "a certificate that has expired. Its owner has to renew it",
    _OTHER_NAME: "a certificate for another name. Check the address, or ask its owner",
    _OTHER_ADDRESS: "a certificate for another name. Check the address, or ask its owner",
}

_NOT_SIGNED: Final = frozenset({2, 18, 19, 20, 21})
"""OpenSSL's results for a chain that ends at no trusted authority."""

_STRANGERS: Final = (
    "a certificate of an authority that this machine does not trust. If a centre has an authority of its own, name the "
    "certificate of that one as `authority`"
)


_NO_TLS: Final = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE"})
"""OpenSSL's names for first bytes that are not TLS; newer versions use the second."""

_NOT_SENT: Final = "Nothing of the record was sent."


def explain_refusal(address: str, error: BaseException, authority: Path | None) -> str:
    """Return a sentence about a connection that ended before a request was sent, because of its certificate or because
    there was no TLS; empty for any other error. `authority`: as in `HttpClient`."""
    if isinstance(error, ssl.SSLError) and error.reason in _NO_TLS:
        return f"{address} does not speak TLS there. {_NOT_SENT}"
    if not isinstance(error, ssl.SSLCertVerificationError):
        return ""
    other = f"a certificate that is not valid ({error.verify_message}). Ask its owner"
    if error.verify_code in _NOT_SIGNED:
        other = _STRANGERS if authority is None else f"a certificate that {authority.name} did not sign. Ask its owner"
    return f"{address} shows {_SEEN.get(error.verify_code, other)}. {_NOT_SENT}"
