"""Cotangents: how contributions are written, added up, and marked."""
