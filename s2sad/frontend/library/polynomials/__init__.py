"""The prelude of np.polynomial and np.poly1d's functions."""
