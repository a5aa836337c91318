"""Derivatives that a function takes itself."""
