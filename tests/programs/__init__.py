"""Whole programs as scientists write them, filed by field, and their derivatives.

Each module holds plain functions, registered with sample arguments by ``program`` of
``registry.py``. They use the language freely: what is written into is the one thing
they leave out.
"""
