"""The record of a game that can be trusted: how an entry is written (`entry`), sealed and signed (`keys`), bound to all
entries before it (`merkle`), handed to witnesses (`heads`), and checked by anybody (`verify`).

`wiring_docs/journal_format.md` says all of it in words and numbers, for whoever writes a verifier of their own.
"""
