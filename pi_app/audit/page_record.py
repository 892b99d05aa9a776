"""The identity of an audited record, as a part of the page: file, device, head with its QR code, verification. Pure."""

from __future__ import annotations

import io
from collections.abc import Iterator
from html import escape

from pi_app.audit.forms import Made
from pi_app.audit.values import FileAudit, RecordSeen


def identity(file: FileAudit, record: RecordSeen, made: Made | None, *, qr: bool) -> Iterator[str]:
    """Yield a section with the identity of a record; `qr`: also its head as a QR code."""
    facts = [("file", escape(file.file)), ("SHA-256 of the file", _letters(record.sha256))]
    if record.device is not None:
        facts.append(("device", _letters(record.device)))
    facts.append(("witnesses", escape(_witnesses(file, record))))
    facts.append(("verification", "<br>".join(map(escape, record.verification))))
    if record.head is not None:
        facts.append(("head, for a witness to keep", _letters(record.head)))
    if made is not None:
        facts.append(("audited by", escape(f"{made.program}, {made.date}")))
    yield '<section class="small">'
    yield f"<h3>The record {escape(file.file)}</h3>"
    yield '<div class="record">'
    yield "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts) + "</dl>"
    if qr and record.head is not None:
        yield _qr(record.head)
    yield "</div>\n</section>"


def _letters(text: str) -> str:
    return f'<span class="letters">{escape(text)}</span>'


def _witnesses(file: FileAudit, record: RecordSeen) -> str:
    if not record.witnesses:
        return "none was named"
    named = f"{record.witnesses} {'head' if record.witnesses == 1 else 'heads'} compared"
    if file.against:
        return f"{named}; {len(file.against)} did not fit"
    return f"{named}; they fit up to entry {record.witnessed_until}"


def _qr(head: str) -> str:
    import segno

    svg = io.BytesIO()
    code = segno.make_qr(head.replace(" ", ""), error="m")
    code.save(svg, kind="svg", xmldecl=False, svgns=False, omitsize=True, border=4, title="The head as a QR code")
    return svg.getvalue().decode().strip()
