"""What is made from the settings without touching a wire: wiring, printed parts, placement checks."""
