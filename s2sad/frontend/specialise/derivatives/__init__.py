"""Derivatives that a function takes itself, and those that users shape."""
