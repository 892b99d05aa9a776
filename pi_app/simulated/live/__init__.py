"""The demo's live screen: a simulated table that is played by hand in a terminal."""
