"""Steps that several texts share."""

import numpy as np

from s2sad import rules


def as_vector_of_floats(x):
    """A number, list or array of numbers as a vector in double precision, as solvers
    start from it."""
    x = np.asarray(x)
    if rules.known_rank(x) > 1:
        rules.not_supported(
            "a first guess of several axes", "pass a vector, and reshape it"
        )
    if rules.is_complex_number(x):
        rules.not_supported(
            "a first guess of complex numbers", "solve for real and imaginary parts"
        )
    x = np.ravel(x)
    return x if rules.is_double(x) else x.astype(np.float64)
