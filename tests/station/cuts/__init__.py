"""Power cuts of a demo station, at every place where its state folder changes."""
