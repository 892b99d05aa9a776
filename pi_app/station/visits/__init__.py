"""The life of a visit: what visitors do, the states that follow from it, the guided steps, and what seats show."""
