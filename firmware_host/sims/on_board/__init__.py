"""What the child process of a simulated board runs beside the firmware. None of it is copied to a real one."""
