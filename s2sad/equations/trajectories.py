"""What a differential equation and its tangent are together.

The tangent ``v`` of a solution solves ``v' = df/dy v + df/da a.dot``, and with the
state it is one more solution. These functions are written out as programs of their own.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


def state_and_tangent(
    both: Any, time: Any, pushed: Callable[..., Any], args: Any, dots: Any
) -> Any:
    """The right-hand side of the state and its tangent, one behind the other."""
    count = len(both) // 2
    slope, change = pushed(both[:count], time, args, both[count:], dots)
    return np.concatenate((slope, change))


def states_and_tangents(
    y0: Any,
    y0_dot: Any,
    start: Any,
    start_dot: Any,
    times: Any,
    times_dot: Any,
    args: Any,
    slope_at: Callable[..., Any],
    solved: Callable[..., Any],
) -> Any:
    """The states at the times, and behind each one its tangent; tangents that are None
    are zero."""
    begin_dot = np.zeros_like(y0) if y0_dot is None else y0_dot
    if start_dot is not None:
        begin_dot = begin_dot - slope_at(y0, start, args) * start_dot
    begin = np.concatenate((y0, begin_dot))
    both = solved(begin, start, times)
    if times_dot is not None:
        count = len(y0)
        states = both[:, :count]
        slopes = np.stack([slope_at(y, time, args) for y, time in zip(states, times)])
        tangents = both[:, count:] + slopes * times_dot[:, None]
        both = np.concatenate((states, tangents), axis=1)
    return both


def tangents_alone(both: Any, y0: Any) -> Any:
    """Of states with their tangents behind them, the tangents."""
    return both[:, len(y0) :]


def side_by_side(states: Any, tangents: Any) -> Any:
    """What belongs to states, and behind it what belongs to their tangents."""
    return np.concatenate((states, tangents), axis=1)


def behind_zeros(tangents: Any) -> Any:
    """The same where nothing belongs to the states."""
    return np.concatenate((np.zeros_like(tangents), tangents), axis=1)
