"""Hands the entries of a journal over to a centre. The journal itself is the outbox: nothing is queued twice."""
