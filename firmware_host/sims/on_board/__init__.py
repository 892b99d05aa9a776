"""Modules of the child process beside the firmware. None of them is copied to a real board."""
