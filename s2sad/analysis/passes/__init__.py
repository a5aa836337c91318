"""Small passes and checks that every later room calls: copies, dead code, purity,
and what must hold of a program between two passes."""
