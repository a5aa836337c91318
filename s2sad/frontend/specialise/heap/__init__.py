"""Cells and references: what changes under several names; stores into parts."""
