"""The wiring of a table, derived from its settings: drawn, listed, labelled and checked.

`values` has the parts of a wiring, `header` the pins of Pi and Pico. `nets` builds the wiring: `hosts` are the Pi and
the hubs, `joints` gives each wire its pin, `fitting` adds resistors, `segments` finds the stretches of I2C line, and
`refused` refuses tables that cannot be wired. Everything else here only reads the result.
"""
