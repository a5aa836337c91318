"""Functions that derivatives may call, of numerical mathematics by subject: matrices,
spectra, special functions, statistics, solvers; transpiled files carry copies of
them."""
