"""Calls of modules that need more than a rule or a text."""
