"""The troubles of a station: how they are found, said, kept and shown."""
