"""Rewrites of the IR: one a file, each with a name and an off switch."""
