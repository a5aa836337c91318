"""Calls of functions of libraries, a file for each file of texts in
``s2sad/frontend/library``."""
