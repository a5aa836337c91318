"""Whole programs with hand-written gradients to compare against."""
