"""Modules that are read, never executed."""
