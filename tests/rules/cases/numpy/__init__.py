"""Calls of functions of NumPy, a file for each file in ``s2sad/rules/numpy``."""
