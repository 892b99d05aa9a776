"""The verifiable record of a game: an entry is encoded (`entry`), sealed and signed (`keys`), bound to all entries
before it (`merkle`), given to witnesses (`heads`) and verified (`verify`).

`wiring_docs/journal_format.md` specifies it for other verifiers.
"""
