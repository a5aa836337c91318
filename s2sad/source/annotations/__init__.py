"""Kinds that annotations and signatures promise, where there is no value to look at."""
