"""Rules of np.linalg, and of products of arrays."""
