"""The image of a demo station: a layer for rpi-image-gen, and the entry for Raspberry Pi Imager."""
