"""Functions of ``scipy.stats`` that are made of others."""
