"""The keyboard of the live screen: a byte that is not UTF-8 is a wrong letter, where Textual's own driver ends."""

from __future__ import annotations

import codecs
import functools

from textual.drivers import linux_driver


class Keyboard(linux_driver.LinuxDriver):
    """Textual's driver for a terminal, with a decoder that goes on."""

    def run_input_thread(self) -> None:
        """Read the keyboard until the screen is closed. The driver takes its decoder from its module."""
        vars(linux_driver)["getincrementaldecoder"] = _replacing
        super().run_input_thread()


def _replacing(encoding: str) -> functools.partial[codecs.IncrementalDecoder]:
    return functools.partial(codecs.getincrementaldecoder(encoding), errors="replace")
