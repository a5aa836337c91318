"""Batched lists: each item has the leading axis."""
