#!/usr/bin/env bash
# Constructing CircuitPython's AS5600 driver 1.0.3 overwrites the chip's settings, its zero position among them.
#
# Guess before the run: a new `AS5600(i2c)` reads the chip and leaves ZPOS, MPOS, MANG and CONF as they are. Seen: it
# writes ZPOS = 0, MPOS = MANG = 4095 and clears hysteresis, filters and watchdog in CONF. So a second program that only
# wants to read an angle moves the zero position that the first one has set, and ANGLE is scaled by 4095 steps. RAW ANGLE
# is not touched. The chip here is a register file that answers writes and reads as the bus does; the settings are valid.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  adafruit-circuitpython-as5600==1.0.3 Adafruit-Blinka==10.0.0 adafruit-circuitpython-busdevice==5.2.17 \
  adafruit-circuitpython-register==1.13.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import adafruit_as5600

ZPOS, CONF, END = 0x01, 0x07, 0x09


class Chip:
    """An AS5600 with a zero position of 512, and 3 LSB of hysteresis in CONF."""

    def __init__(self) -> None:
        self.registers = bytearray(256)
        self.registers[ZPOS : ZPOS + 2] = (512).to_bytes(2, "big")
        self.registers[CONF + 1] = 0b1100
        self.pointer = 0

    def try_lock(self) -> bool:
        return True

    def unlock(self) -> None:
        pass

    def writeto(self, address, data, *, start=0, end=None) -> None:
        for number, value in enumerate(bytes(data)[start:end]):
            if number:
                self.registers[self.pointer + number - 1] = value
            else:
                self.pointer = value

    def readfrom_into(self, address, data, *, start=0, end=None) -> None:
        for number in range(start, len(data) if end is None else end):
            data[number] = self.registers[self.pointer + number - start]

    def writeto_then_readfrom(self, address, out, into, *, out_start=0, out_end=None, in_start=0, in_end=None) -> None:
        self.writeto(address, out, start=out_start, end=out_end)
        self.readfrom_into(address, into, start=in_start, end=in_end)


chip = Chip()
before = chip.registers[ZPOS:END].hex(" ", 2)
adafruit_as5600.AS5600(chip)
print(before, "->", chip.registers[ZPOS:END].hex(" ", 2))
PYTHON
)
echo "$seen"
[ "$seen" = "0200 0000 0000 000c -> 0000 0fff 0fff 0000" ]
