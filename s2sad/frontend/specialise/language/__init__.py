"""Names, constants, operators and assignments."""
