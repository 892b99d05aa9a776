"""Tools for a person at the wires: the doctor, calibration, hubs, benchmarks."""
