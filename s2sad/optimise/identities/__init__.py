"""A table of identities (``table.py``), and the engine that rewrites lines by them."""
