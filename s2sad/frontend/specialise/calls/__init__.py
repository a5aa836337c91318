"""Calls of functions: written out, by procedures, as operations."""
