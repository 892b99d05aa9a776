"""The centre's own log: a tree over all checkpoints that it cosigned, which other witnesses cosign in turn."""
