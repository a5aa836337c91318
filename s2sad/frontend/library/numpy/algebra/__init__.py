"""The prelude of np.linalg, np.fft and products."""
