"""Loops over elements: what must hold of them, and how several become one."""
