#!/usr/bin/env bash
# trimesh 5.2.0 writes every 3MF file in millimetres, whatever the unit of its mesh, and converts nothing.
#
# Guess before the run: a mesh with `units = "inch"` becomes a 3MF file with unit="inch", or its coordinates are
# converted. Seen: unit="millimeter" with the coordinates in inches, so that a slicer prints the part 25.4 times too
# small. trimesh's own reader does take the unit of a file, so the way out and back changes "inch" to "millimeter".
# Way out: `mesh.convert_units("mm")` before the export.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trimesh==5.2.0 numpy==2.2.6 networkx==3.4.2 lxml==6.0.2
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import io
import re
import zipfile

import trimesh

box = trimesh.creation.box((1, 2, 3))
box.units = "inch"
exported = box.export(file_type="3mf")
with zipfile.ZipFile(io.BytesIO(exported)) as package:
    model = next(package.read(name).decode() for name in package.namelist() if name.endswith(".model"))
again = trimesh.load(io.BytesIO(exported), file_type="3mf")
print(*re.findall(r'unit="\w+"', model), again.units, again.extents.tolist())
PYTHON
)
echo "$seen"
[ "$seen" = 'unit="millimeter" millimeter [1.0, 2.0, 3.0]' ]
