"""Names of which the run decides which array they mean."""
