"""Rules of scipy.stats, and of the sums and probabilities that it is made of."""
