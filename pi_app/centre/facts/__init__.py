"""What a centre learns from a record: small facts about its table and its dials, brought up to date in the background.

The public halves of all entries are read, and the sealed ones of games that have ended: their keys are in the record.
"""
