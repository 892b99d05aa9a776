"""SIMULATED hubs: the real firmware in a child process over twins of chips, and a scripted hub."""
