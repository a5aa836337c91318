"""Derivatives, filed by who owns the function. Rules know nothing of the passes."""
