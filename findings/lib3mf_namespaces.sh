#!/usr/bin/env bash
# lib3mf 2.5.0 takes namespace declarations on a build item for attributes, so its strict reader refuses every 3MF file
# that trimesh 5.2.0 writes.
#
# Guess before the run: the reference reader of the 3MF Consortium reads trimesh's file without a warning, also in strict
# mode. Seen: warning 32935, "Invalid Attribute in namespace.", and an exception in strict mode. trimesh repeats its
# `xmlns:...` declarations in each <item>, which XML allows; without them the same file has no warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  trimesh==5.2.0 lib3mf==2.5.0 numpy==2.2.6 networkx==3.4.2 lxml==6.0.2
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import io
import re
import zipfile

import lib3mf
import trimesh


def read(model: str, strict: bool) -> str:
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as copy:
        for name, data in parts.items():
            copy.writestr(name, model if name.endswith(".model") else data)
    reader = lib3mf.get_wrapper().CreateModel().QueryReader("3mf")
    reader.SetStrictModeActive(strict)
    try:
        reader.ReadFromBuffer(package.getvalue())
    except lib3mf.ELib3MFException:
        return "refused"
    return str([reader.GetWarning(number) for number in range(reader.GetWarningCount())])


with zipfile.ZipFile(io.BytesIO(trimesh.creation.box((1, 2, 3)).export(file_type="3mf"))) as package:
    parts = {name: package.read(name) for name in package.namelist()}
model = next(data.decode() for name, data in parts.items() if name.endswith(".model"))
plain = re.sub(r'<item (xmlns\S* )+', "<item ", model)
print(read(model, strict=False), read(model, strict=True), read(plain, strict=True))
PYTHON
)
echo "$seen"
[ "$seen" = "[(32935, 'Invalid Attribute in namespace.')] refused []" ]
