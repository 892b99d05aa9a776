"""An encoder that does not exist, as the page about adding a chip has one written: its driver and its twin."""
