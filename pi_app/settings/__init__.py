"""`trapdial.toml`, read once into frozen values."""
