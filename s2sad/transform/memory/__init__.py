"""Stores: names and views of an array get their new values."""
