"""Hostile inputs before every reader of the program: files, typed lines and lines of wires that somebody made to hurt.

`python -m tests.attack.hostile --inputs 1000000` prints one line per reader.
"""
