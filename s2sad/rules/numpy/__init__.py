"""Rules of NumPy functions, one family a file."""
