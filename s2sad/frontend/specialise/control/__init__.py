"""Branches, loops, handlers, and where paths meet."""
