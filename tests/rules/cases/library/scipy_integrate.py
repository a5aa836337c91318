"""``scipy.integrate`` on samples."""

import numpy as np
from scipy import integrate

from tests.rules.cases.form import case

Y = np.array([[0.5, -0.3, 0.8, 1.4, 0.9], [1.2, 0.1, -0.9, -0.2, 0.4]])
X = np.array([0.0, 0.4, 1.3, 1.9, 2.5])
GRID = X + np.array([[0.1], [0.7]]) * np.arange(5.0)


def of_spacing(y, dx):
    return (
        integrate.simpson(y**2, dx=dx) + integrate.cumulative_trapezoid(y, dx=dx)[1, 2]
    )


CASES = [
    case(integrate.trapezoid, Y),
    case(integrate.trapezoid, Y, X),
    case(integrate.trapezoid, Y.T, X, axis=0),
    case(integrate.trapezoid, Y[0], dx=0.3),
    case(integrate.cumulative_trapezoid, Y),
    case(integrate.cumulative_trapezoid, Y, X, initial=0),
    case(integrate.cumulative_trapezoid, Y.T, X, axis=0, initial=0),
    case(integrate.cumulative_trapezoid, Y, GRID),
    case(integrate.cumulative_trapezoid, Y[0], dx=0.3),
    case(integrate.simpson, Y),
    case(integrate.simpson, Y, x=X),
    case(integrate.simpson, Y, x=GRID),
    case(integrate.simpson, Y, x=X[[0, 1, 1, 3, 4]], note="a place twice"),
    case(integrate.simpson, Y.T, x=X, axis=0),
    case(integrate.simpson, Y[0], dx=0.3),
    case(of_spacing, Y, 0.3),
    case(integrate.simpson, Y[:, :4]),
    case(integrate.simpson, Y[:, :4], x=X[:4]),
    case(integrate.simpson, Y[:, :4].T, x=X[:4], axis=0),
    case(integrate.simpson, Y[0, :2], x=X[:2]),
    case(integrate.simpson, Y[:, :2], dx=0.2),
]
