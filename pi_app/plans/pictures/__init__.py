"""Pictures as marks, and what writes them: SVG, PNG."""
