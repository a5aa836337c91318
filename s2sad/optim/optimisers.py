"""SGD, momentum, RMSprop and Adam as pure functions over parameter structures.

Each optimiser is a pair: `NAME_init(params)` gives the state to begin with, and
`NAME(params, gradient, state, ...)` returns new parameters and a new state and changes
nothing that it is given. `params` is a float, an array, or a tuple, list, dict,
NamedTuple or dataclass of such, nested in any way; `gradient` has the structure and
shapes of `params`. Parameters keep their type, shape and dtype, and so does the state:
a float32 array is updated in float32, whatever the dtype of its gradient. Leaves that
are no parameters (an int, a string, None), whose gradient is None, are handed on.

A complex parameter takes dL/dRe + i dL/dIm as its gradient; where a formula squares a
gradient, its squared modulus is meant.
"""

from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from . import leaves
from .structure import map_structure, map_structure_with_path

P = TypeVar("P")


class SgdState(NamedTuple):
    """The number of steps taken."""

    step: int


class MomentumState(NamedTuple, Generic[P]):
    """The velocity v; its structure, shapes and dtypes are those of the parameters."""

    velocity: P


class RmspropState(NamedTuple, Generic[P]):
    """The mean square of the gradient: structure and shapes of the parameters, real."""

    mean_square: P


class AdamState(NamedTuple, Generic[P]):
    """The number t of steps taken and the moments m and v, still biased.

    Both have the structure and shapes of the parameters; m has their dtypes, v the
    real ones.
    """

    step: int
    first_moment: P
    second_moment: P


def sgd_init(params: P) -> SgdState:
    """The state before the first step of sgd."""
    return SgdState(0)


def sgd(
    params: P, gradient: P, state: SgdState, learning_rate: float = 1e-2
) -> tuple[P, SgdState]:
    """One step of stochastic gradient descent: x <- x - learning_rate * g.

    Goodfellow, Bengio and Courville, Deep Learning (2016), Algorithm 8.1.

    >>> sgd({"w": 1.0}, {"w": 2.0}, sgd_init({"w": 1.0}), learning_rate=0.25)
    ({'w': 0.5}, SgdState(step=1))
    """
    rate = float(learning_rate)
    gradient = leaves.prepared(params, gradient)
    params = _updated(params, map_structure(_unless_none(lambda g: rate * g), gradient))
    return params, SgdState(state.step + 1)


def momentum_init(params: P) -> MomentumState[P]:
    """The state before the first step of momentum: a velocity of zeros."""
    return MomentumState(map_structure(leaves.zeros, params))


def momentum(
    params: P,
    gradient: P,
    state: MomentumState[P],
    learning_rate: float = 1e-2,
    decay: float = 0.9,
) -> tuple[P, MomentumState[P]]:
    """One step of gradient descent with classical momentum.

        v <- decay * v - learning_rate * g
        x <- x + v

    Sutskever, Martens, Dahl and Hinton, On the importance of initialization and
    momentum in deep learning (ICML 2013), equations 1 and 2.

    >>> momentum(1.0, 2.0, MomentumState(0.5), learning_rate=0.25, decay=0.5)
    (0.75, MomentumState(velocity=-0.25))
    """
    rate, decay = float(learning_rate), float(decay)
    gradient = leaves.prepared(params, gradient)
    velocity = _advanced(
        lambda v, g: decay * v - rate * g, state.velocity, gradient, "velocity"
    )
    params = _updated(params, map_structure(_unless_none(lambda v: -v), velocity))
    return params, MomentumState(velocity)


def rmsprop_init(params: P) -> RmspropState[P]:
    """The state before the first step of rmsprop: a mean square of zeros."""
    return RmspropState(map_structure(leaves.real_zeros, params))


def rmsprop(
    params: P,
    gradient: P,
    state: RmspropState[P],
    learning_rate: float = 1e-3,
    decay: float = 0.9,
    epsilon: float = 1e-8,
) -> tuple[P, RmspropState[P]]:
    """One step of RMSprop.

        r <- decay * r + (1 - decay) * g ** 2
        x <- x - learning_rate * g / (sqrt(r) + epsilon)

    Tieleman and Hinton, Neural Networks for Machine Learning (2012), Lecture 6.5,
    which has no epsilon. Here it stands outside the root, as Adam has it; Goodfellow,
    Bengio and Courville, Deep Learning (2016), Algorithm 8.5, has it inside.

    >>> rmsprop(1.0, 2.0, RmspropState(4.0), learning_rate=0.5, epsilon=0.0)
    (0.5, RmspropState(mean_square=4.0))
    """
    rate, decay, epsilon = float(learning_rate), float(decay), float(epsilon)
    gradient = leaves.prepared(params, gradient)
    mean_square = _advanced(
        lambda r, g: decay * r + (1 - decay) * leaves.squared_modulus(g),
        state.mean_square,
        gradient,
        "mean_square",
    )
    change = map_structure(
        _unless_none(lambda g, r: rate * g / (np.sqrt(r) + epsilon)),
        gradient,
        mean_square,
    )
    return _updated(params, change), RmspropState(mean_square)


def adam_init(params: P) -> AdamState[P]:
    """The state before the first step of adam: moments of zeros."""
    return AdamState(
        0,
        map_structure(leaves.zeros, params),
        map_structure(leaves.real_zeros, params),
    )


def adam(
    params: P,
    gradient: P,
    state: AdamState[P],
    learning_rate: float = 1e-3,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> tuple[P, AdamState[P]]:
    """One step of Adam.

        t <- t + 1
        m <- beta1 * m + (1 - beta1) * g
        v <- beta2 * v + (1 - beta2) * g ** 2
        x <- x - learning_rate * (m / (1 - beta1 ** t))
                 / (sqrt(v / (1 - beta2 ** t)) + epsilon)

    Kingma and Ba, Adam: A Method for Stochastic Optimization (ICLR 2015),
    Algorithm 1, with the defaults given there.

    >>> params, state = adam(1.0, 2.0, adam_init(1.0), learning_rate=0.5, epsilon=0.0)
    >>> round(params, 12), state.step
    (0.5, 1)
    """
    rate, epsilon = float(learning_rate), float(epsilon)
    beta1, beta2 = float(beta1), float(beta2)
    gradient = leaves.prepared(params, gradient)
    step = state.step + 1
    first = _advanced(
        lambda m, g: beta1 * m + (1 - beta1) * g,
        state.first_moment,
        gradient,
        "first_moment",
    )
    second = _advanced(
        lambda v, g: beta2 * v + (1 - beta2) * leaves.squared_modulus(g),
        state.second_moment,
        gradient,
        "second_moment",
    )
    first_correction, second_correction = 1 - beta1**step, 1 - beta2**step
    change = map_structure(
        _unless_none(
            lambda m, v: (
                rate
                * (m / first_correction)
                / (np.sqrt(v / second_correction) + epsilon)
            )
        ),
        first,
        second,
    )
    return _updated(params, change), AdamState(step, first, second)


def _updated(params: P, change: Any) -> P:
    """params - change, leaf by leaf; a leaf whose change is None is handed on."""
    return cast(
        P,
        map_structure(
            lambda p, c: p if c is None else leaves.like(p, p - c), params, change
        ),
    )


def _advanced(f: Any, average: Any, gradient: Any, name: str) -> Any:
    """f(average, gradient), leaf by leaf, with the types and dtypes of average.

    Raises StructureError or ValueError where the two don't fit together.
    """

    def advanced_leaf(path: str, g: Any, a: Any) -> Any:
        if g is None:
            return None
        if a is None or np.shape(a) != np.shape(g):
            has = "None" if a is None else f"shape {np.shape(a)}"
            raise ValueError(
                f"state.{name}{path} has {has}, but params{path} has shape "
                f"{np.shape(g)}: the state belongs to other parameters"
            )
        return leaves.like(a, f(a, g))

    return map_structure_with_path(
        advanced_leaf, gradient, average, names=("gradient", f"state.{name}")
    )


def _unless_none(f: Any) -> Any:
    """f, but None where the first leaf is None."""
    return lambda first, *others: None if first is None else f(first, *others)
