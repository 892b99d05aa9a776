"""Who may see what: one report per viewer."""
