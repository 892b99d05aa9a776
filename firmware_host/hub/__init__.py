"""The firmware. The folder is copied to the board as it is; its modules run in MicroPython and in CPython."""
