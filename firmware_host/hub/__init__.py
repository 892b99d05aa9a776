"""What runs on the board. The folder is copied there as it is, and its modules run in MicroPython and in CPython."""
