"""The page process: speaks HTTP with phones, and hands sealed bytes between them and the table.

It is a program of its own (`__main__`). It never has a key, a secret, the game or the journal: it could tell a stranger
only what any stranger can record from the air. `confined` takes from it what it does not need.
"""
