"""Write one key into the text of a settings file, and leave everything else as its owner wrote it."""

from __future__ import annotations

import json
import re
import tomllib


def with_table_key(text: str, key: str, value: str) -> str | None:
    """Return the text with this key of [table]: in place of its old value, else as the first line of the section.

    Return None if the result would differ in anything else, for instance because [table] is written in another form.
    """
    wanted = tomllib.loads(text)
    if not isinstance(wanted.get("table"), dict):
        return None
    wanted["table"][key] = value
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    lines = text.splitlines(keepends=True)
    head = next((at for at, each in enumerate(lines) if re.match(r"\s*\[\s*table\s*\]", each)), None)
    if head is None:
        return None
    end = next((at for at in range(head + 1, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
    there = re.compile(rf"""(\s*){re.escape(key)}\s*=\s*("[^"\\]*"|'[^']*')""")
    for at in range(head + 1, end):
        if found := there.match(lines[at]):
            lines[at] = f"{found[1]}{line}{lines[at][found.end() :]}"
            break
    else:
        lines[head] = lines[head].rstrip("\r\n") + "\n" + line + "\n"
    written = "".join(lines)
    try:
        return written if tomllib.loads(written) == wanted else None
    except tomllib.TOMLDecodeError:
        return None
