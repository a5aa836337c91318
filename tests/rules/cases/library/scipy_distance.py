"""``scipy.spatial.distance``."""

import numpy as np
from scipy.spatial import distance

from tests.rules.cases.form import case

U = np.array([0.3, 1.2, 0.7, 2.0])
V = np.array([1.1, 0.4, 0.6, 0.9])
W = np.array([0.5, 1.5, 1.0, 2.0])
A = np.array([[0.5, -0.3, 0.8], [1.2, 0.1, -0.9], [2.0, 0.6, 0.3], [0.4, 1.5, 0.2]])
B = np.array([[1.5, 0.3, -0.8], [0.2, 1.1, 0.9]])
VI = np.diag(W) + 0.1
SQUARE = np.abs(np.subtract.outer(U, V))


def between_differences(a):
    return distance.squareform(distance.pdist(a)) @ a


CASES = [
    *(
        case(function, U, V)
        for function in (
            *(distance.euclidean, distance.sqeuclidean, distance.cityblock),
            *(distance.chebyshev, distance.minkowski, distance.cosine),
            *(distance.correlation, distance.canberra, distance.braycurtis),
            distance.jensenshannon,
        )
    ),
    case(distance.mahalanobis, U, V, VI),
    case(distance.seuclidean, U, V, W),
    *(
        case(function, U, V, w=W)
        for function in (
            *(distance.euclidean, distance.sqeuclidean, distance.cityblock),
            *(distance.cosine, distance.correlation, distance.canberra),
            distance.braycurtis,
        )
    ),
    case(distance.minkowski, U, V, 1),
    case(distance.minkowski, U, V, 3, W),
    case(distance.correlation, U, V, W, False),
    case(distance.jensenshannon, U, V, base=2, keepdims=True),
    case(distance.jensenshannon, np.abs(A), np.abs(A[::-1]) + 0.2, axis=1),
    case(distance.cdist, A, B),
    case(distance.cdist, A, B, "sqeuclidean", note="sqeuclidean"),
    case(distance.cdist, A, B, "cityblock", note="cityblock"),
    case(distance.cdist, A, B, metric="cosine"),
    case(distance.cdist, A[::2], A[1::2]),
    case(distance.pdist, A),
    case(distance.pdist, A[:0], note="of no points"),
    case(distance.pdist, A, "sqeuclidean", note="sqeuclidean"),
    case(distance.pdist, A, "cityblock", note="cityblock"),
    case(distance.pdist, A, "cosine", note="cosine"),
    case(distance.squareform, np.arange(6.0) + 0.3),
    case(distance.squareform, SQUARE, "tovector", False, note="to a vector"),
    case(between_differences, A),
]
