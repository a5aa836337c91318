"""``match``: statements, and the patterns of their cases, by what they look for."""
