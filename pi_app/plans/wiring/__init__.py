"""How a table is wired, worked out from the settings that run it: what is drawn, listed, labelled and checked.

`chosen` is what the builder says in `[wiring]`, `header` the Pi's and the Pico's pins, `values` what a wiring consists
of, `nets` works it out: `hosts`
are the Pi and the hubs, `joints` gives each wire its pin, `fitting` adds the resistors, `segments` finds the stretches
of I2C line, and `refused` says what cannot be wired. Everything else here only reads the outcome.
"""
