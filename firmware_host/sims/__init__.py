"""A hub without a board: the firmware itself, in a child process, with simulated chips at its pins."""
