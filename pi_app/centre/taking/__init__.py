"""Checks what a table hands over against what is known of its record, before anything is written."""
