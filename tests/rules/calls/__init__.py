"""Calls at which derivatives of library functions are tested through the compiler: one
line a call, a file for each owner of functions. The first call of each function is part
of ``make test``; the others are long."""
