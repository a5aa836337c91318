"""Array operations as loops over elements."""
