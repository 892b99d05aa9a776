"""Pictures as drawing marks, and their writers: SVG, PNG, PDF."""
