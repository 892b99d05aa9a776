"""Attacks from outside, through commands and files: `make attack-test`."""
