"""The hub that scans dials itself, and the Pi's end of the wire to it."""
