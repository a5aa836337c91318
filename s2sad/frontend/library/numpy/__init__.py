"""The prelude of NumPy's functions."""
