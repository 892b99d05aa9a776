"""A person at the wires: the doctor, calibration, hubs, benchmarks."""
