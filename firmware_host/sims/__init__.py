"""Stand-ins for what hangs on a hub's cable: SIMULATED."""
