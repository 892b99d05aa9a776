#!/usr/bin/env bash
# gpiozero 2.0.1.post3: a mock pin ignores `bounce_time`, so a test of debouncing with MockFactory proves nothing.
#
# Guess before the run: `Button(4, bounce_time=0.5)` on a mock pin counts three presses within a millisecond as one, as
# lgpio and pigpio do. Seen: three presses. The mock keeps the value that was set and uses it nowhere.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check gpiozero==2.0.1.post3
seen=$("$folder/venv/bin/python" - <<'PYTHON'
from gpiozero import Button, Device
from gpiozero.pins.mock import MockFactory

Device.pin_factory = MockFactory()
presses = []
button = Button(4, bounce_time=0.5)
button.when_pressed = lambda: presses.append(1)
pin = Device.pin_factory.pin(4)
for _ in range(3):
    pin.drive_low()
    pin.drive_high()
print(f"bounce_time {button.pin.bounce}, {len(presses)} presses")
PYTHON
)
echo "$seen"
[ "$seen" = "bounce_time 0.5, 3 presses" ]
