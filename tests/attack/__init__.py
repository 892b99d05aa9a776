"""Attacks from outside, a file for each row: what a stranger, a player or a cable tries, and what Trapdial does."""
