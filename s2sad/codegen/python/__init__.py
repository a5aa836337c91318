"""Programs to Python's syntax: names, expressions, statements."""
