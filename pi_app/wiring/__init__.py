"""How a table is wired, worked out from the settings that run it: what is drawn, listed, labelled and checked.

`chosen` is what the builder says in `[wiring]`, `header` the Pi's and the Pico's pins, `values` what a wiring consists
of, `nets` works it out; everything else here only reads it.
"""
