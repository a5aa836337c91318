"""Derivatives of procedures: calls of programs, whose derivatives are programs too."""
