"""Derivatives compared with central differences, (f(x + h) - f(x - h)) / 2h.

Their error is h**2 |f'''| / 6 from truncation plus about eps |f| / h from rounding,
least near h = eps**(1/3) (Nocedal and Wright, Numerical Optimization, 2nd ed., section
8.1).
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import errors, rules
from s2sad.api import grad, hvp, jvp, vjp
from s2sad.custom import CustomFunction
from s2sad.testing.reports import Comparison, Report
from s2sad.testing.rounding import room_for_rounding
from s2sad.testing.structures import (
    copied,
    indexed,
    indices_of,
    inner_product,
    largest_size,
    moved,
    numbers_of,
    random_like,
    step_for,
    terms_of,
    tolerance_for,
    with_leaf,
)
from s2sad.testing.weighted_sums import call_of, weighted_sum_of


def check_gradient(
    function: Callable[..., Any],
    *args: Any,
    wrt: Any = 0,
    tolerance: float | None = None,
    most: int = 100,
    seed: int = 0,
    **kwargs: Any,
) -> Report:
    """Compare the gradient of a function with central differences.

    ``most`` elements of each array are tried, drawn at random from larger ones. A
    result that isn't one number is multiplied by a random cotangent. The tolerance is
    relative to the size of the value and of the gradient; by default it follows from
    the precision of the arguments.

    Raises what ``s2sad.grad`` raises.
    """
    rng = np.random.default_rng(seed)
    gradient_of = grad(function, wrt)
    target = gradient_of._target
    names, single = target.wrt_names(wrt)
    values = target.bind(args, kwargs)
    named = dict(zip(target.parameters, values))
    value = target.call(tuple(map(copied, values)))
    weights: Any = None
    if isinstance(value, float | np.ndarray | np.generic) and np.shape(value) == ():
        gradients = gradient_of(*args, **kwargs)
    else:
        weights = random_like(rng, value)
        gradients = gradient_of(*args, gradient=weights, **kwargs)
    by_name = {names[0]: gradients} if single else dict(zip(names, gradients))

    def scalar(parameter: str, changed: Any) -> float:
        now = {**named, parameter: changed}
        result = target.call(tuple(copied(now[name]) for name in target.parameters))
        return float(result) if weights is None else inner_product(weights, result)

    comparisons: list[Comparison] = []
    for name in names:
        comparisons += _compare(
            name,
            named[name],
            by_name[name],
            functools.partial(scalar, name),
            rng,
            most,
            tolerance,
        )
    return Report(f"gradient of {target.name}", tuple(comparisons))


def check_rule(
    function: Callable[..., Any],
    *args: Any,
    tolerance: float | None = None,
    most: int = 30,
    seed: int = 0,
    second_order: bool = True,
    **kwargs: Any,
) -> Report:
    """Check the registered derivative of a function in all its uses.

    The value that is computed beside the pullback is compared with the function's, the
    pullback with central differences, the pushforward with the pullback
    by the dot-product test, <w, J t> = <J^T w, t>, and products with the second
    derivative with differences of the gradient. All arguments that can carry a
    derivative are tried together. Of a function to which ``defvjp`` alone gave a
    derivative there is no pushforward to compare.
    """
    rng = np.random.default_rng(seed)
    args = tuple(args)
    value = function(*args, **kwargs)
    weights = random_like(rng, value)
    name = getattr(function, "__name__", repr(function))
    if not numbers_of(args):
        raise errors.ArgumentError(f"no argument of {name} can carry a derivative")
    call = call_of(function, kwargs)
    primal, pullback = vjp(call, *args)
    comparisons = [_values(value, primal, weights, tolerance or tolerance_for(args))]
    cotangents = pullback(weights)
    comparisons += _compare(
        "argument",
        args,
        cotangents,
        lambda changed: inner_product(weights, function(*changed, **kwargs)),
        rng,
        most,
        tolerance,
    )
    directions = random_like(rng, args)
    terms = terms_of(weights, value)
    if has_pushforward(function):
        comparisons.append(
            _dot_product(call, args, weights, directions, terms, tolerance)
        )
    if second_order:
        comparisons += _second_order(
            function, args, kwargs, weights, directions, terms, tolerance
        )
    return Report(f"rule of {name}", tuple(comparisons))


def _values(value: Any, primal: Any, weights: Any, relative: float) -> Comparison:
    """The value that the derivative computes beside that of the function."""
    shapes, wanted = (
        {path: np.shape(leaf) for path, leaf in numbers_of(structure).items()}
        for structure in (primal, value)
    )
    if shapes != wanted:
        raise AssertionError(f"the value has shapes {shapes}, but must have {wanted}")
    return Comparison(
        "value",
        inner_product(weights, primal),
        inner_product(weights, value),
        relative * max(1.0, terms_of(weights, value)),
    )


def _dot_product(
    call: Callable[..., Any],
    args: tuple[Any, ...],
    weights: Any,
    directions: Any,
    terms: float,
    tolerance: float | None,
) -> Comparison:
    def products(near: tuple[Any, ...]) -> tuple[float, float]:
        _, tangent = jvp(call, near, directions)
        reverse = inner_product(vjp(call, *near)[1](weights), directions)
        return inner_product(weights, tangent), reverse

    found, expected = products(args)
    size = max(1.0, abs(expected), largest_size(vjp(call, *args)[1](weights)))
    limit = (tolerance or tolerance_for(args)) * 1e-3 * size
    if abs(found - expected) > limit:
        scale = largest_size(directions)
        room = room_for_rounding((found, expected), products, args, terms, scale)
        limit = max(limit, float(np.max(room)))
    return Comparison("the dot-product test", found, expected, limit)


def has_pushforward(function: Callable[..., Any]) -> bool:
    """False for a function with a derivative of the user's for reverse mode alone."""
    if not isinstance(function, CustomFunction) or rules.rule_for(function) is not None:
        return True
    return function.pushforward is not None


def _second_order(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    weights: Any,
    directions: Any,
    terms: float,
    tolerance: float | None,
) -> list[Comparison]:
    weighted = weighted_sum_of(function, kwargs, weights)
    product, gradient = hvp(weighted), grad(weighted)
    step = step_for(args) / max(1.0, largest_size(directions))

    def figures(near: tuple[Any, ...]) -> np.ndarray:
        """The products and the differences that they are compared with."""
        found = numbers_of(product(*near, directions))
        upper, lower = (
            numbers_of(gradient(*moved(near, directions, sign * step)))
            for sign in (1.0, -1.0)
        )
        pairs = [
            (np.ravel(leaf), np.ravel(np.asarray(upper[path]) - lower[path]))
            for path, leaf in found.items()
        ]
        leaves, differences = map(np.concatenate, zip(*pairs))
        return np.stack([leaves, differences / (2.0 * step)])

    size = max(1.0, largest_size(gradient(*moved(args, directions, step))))
    loose = tolerance or 10.0 * tolerance_for(args)
    both = figures(args)
    limits = loose * np.maximum(size, np.abs(both[1]))
    if np.any(np.abs(both[0] - both[1]) > limits):
        room = room_for_rounding(both, figures, args, terms, 1.0 / step)
        limits = np.maximum(limits, np.max(room, axis=0))
    labels = (
        f"second derivative, argument{path}{indexed(index)}"
        for path, leaf in numbers_of(args).items()
        for index in np.ndindex(np.shape(leaf))
    )
    return [
        Comparison(label, found.item(), expected.item(), limit.item())
        for label, found, expected, limit in zip(labels, *both, limits, strict=True)
    ]


def _compare(
    name: str,
    value: Any,
    gradient: Any,
    scalar: Callable[[Any], float],
    rng: np.random.Generator,
    most: int,
    tolerance: float | None,
) -> list[Comparison]:
    """The gradient with respect to one structure, element by element."""
    relative = tolerance or tolerance_for(value)
    gradients = numbers_of(gradient)
    size = max(1.0, abs(scalar(value)), largest_size(gradient))
    comparisons = []
    for path, leaf in numbers_of(value).items():
        found: Any = gradients.get(path)
        if np.shape(found) != np.shape(leaf):
            raise AssertionError(
                f"the gradient of {name}{path} has shape {np.shape(found)}, but must "
                f"have shape {np.shape(leaf)}"
            )
        for index in indices_of(np.shape(leaf), most, rng):
            element = np.asarray(leaf)[index]
            step = step_for(leaf) * max(1.0, float(abs(element)))
            expected: complex = 0.0
            for unit in (1.0, 1.0j) if np.iscomplexobj(leaf) else (1.0,):
                upper, lower = np.array(leaf), np.array(leaf)
                upper[index] += step * unit
                lower[index] -= step * unit
                # The distance moved, which rounding makes differ from twice the step.
                distance = abs(upper[index] - lower[index]).item()
                difference = scalar(with_leaf(value, path, upper)) - scalar(
                    with_leaf(value, path, lower)
                )
                expected += unit * difference / distance
            comparisons.append(
                Comparison(
                    f"{name}{path}{indexed(index)}",
                    np.asarray(found)[index].item(),
                    expected,
                    relative * size,
                )
            )
    return comparisons
