"""Names, constants, operators and assignments, and the functions that names mean."""
