"""Transforms: IR to IR. Reverse and forward mode, and what they need."""
