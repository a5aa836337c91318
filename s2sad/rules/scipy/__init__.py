"""Rules for SciPy's functions, a file for each of its modules; read where the module
has been imported."""
