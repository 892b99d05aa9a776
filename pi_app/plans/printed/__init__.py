"""The printed parts of one trap square, for any number of clicks: numbers, solids, checks on the mesh, files."""
