"""Central differences, and inner products, over nested structures ("trees").

A tree is a float, complex, NumPy scalar or array, or a tuple, list, dict, NamedTuple
or dataclass of trees. Leaves of any other kind (int, bool, str, None, integer arrays,
functions) have no derivative: they are passed on unchanged in arguments and appear as
None in gradients and tangents.

Step size. The error of (f(x + h) - f(x - h)) / 2h is h**2 |f'''| / 6 from truncation
plus about eps |f| / h from rounding; with f and f''' of order one the sum is least near
h = eps**(1/3), and its value there is about eps**(2/3), 4e-11 in float64 (Nocedal and
Wright, Numerical Optimization, 2nd ed., section 8.1). The step is taken relative to the
size of x where that exceeds one.
"""

import dataclasses
import inspect

import numpy as np


def is_differentiable(leaf):
    """Whether the leaf is a real or complex floating-point number or array."""
    if isinstance(leaf, (np.ndarray, np.generic)):
        return np.issubdtype(leaf.dtype, np.inexact)
    return isinstance(leaf, (float, complex))


def _children(tree):
    """Return (keys, children, rebuild), or None if the tree is a leaf."""
    if isinstance(tree, dict):
        keys = list(tree)
        return keys, [tree[k] for k in keys], lambda new: dict(zip(keys, new))
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return list(tree._fields), list(tree), type(tree)._make
    if isinstance(tree, (tuple, list)):
        return list(range(len(tree))), list(tree), type(tree)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        keys = [field.name for field in dataclasses.fields(tree)]

        def rebuild(new):
            copy = object.__new__(type(tree))
            for key, child in zip(keys, new):
                object.__setattr__(copy, key, child)
            return copy

        return keys, [getattr(tree, key) for key in keys], rebuild
    return None


def tree_map(function, tree, *others):
    """Apply `function` to the leaves of `tree` and the matching parts of `others`.

    Returns a tree of the structure of `tree`. Raises ValueError where another tree has
    other keys or another length.
    """
    node = _children(tree)
    if node is None:
        return function(tree, *others)
    keys, children, rebuild = node
    columns = []
    for other in others:
        other_node = _children(other)
        if other_node is None or set(other_node[0]) != set(keys):
            raise ValueError(f"structures differ: {tree!r} and {other!r}")
        by_key = dict(zip(other_node[0], other_node[1]))
        columns.append([by_key[key] for key in keys])
    return rebuild(
        [tree_map(function, child, *rest) for child, *rest in zip(children, *columns)]
    )


def tree_leaves(tree):
    """The leaves in order."""
    leaves = []
    tree_map(leaves.append, tree)
    return leaves


def tree_dot(a, b):
    """Re <a, b> over the leaves that are differentiable in both, as a float.

    For complex leaves this is the real inner product, Re(sum(conj(a) * b)), under which
    dL/dRe + i dL/dIm is the gradient. Leaves must agree in shape (ValueError).
    """
    total = 0.0

    def add(leaf_a, leaf_b):
        nonlocal total
        if is_differentiable(leaf_a) and is_differentiable(leaf_b):
            if np.shape(leaf_a) != np.shape(leaf_b):
                raise ValueError(
                    f"shapes differ: {np.shape(leaf_a)} and {np.shape(leaf_b)}"
                )
            total += float(np.real(np.vdot(leaf_a, leaf_b)))

    tree_map(add, a, b)
    return total


def tree_random_like(rng, tree):
    """Standard normal leaves of the shapes and dtypes of `tree`; None where it has no
    derivative. Python numbers give Python numbers."""

    def draw(leaf):
        if not is_differentiable(leaf):
            return None
        sample = rng.standard_normal(np.shape(leaf))
        if np.iscomplexobj(leaf):
            sample = sample + 1j * rng.standard_normal(np.shape(leaf))
        if isinstance(leaf, np.ndarray):
            return np.asarray(sample, dtype=leaf.dtype)
        return (
            leaf.dtype.type(sample)
            if isinstance(leaf, np.generic)
            else type(leaf)(sample)
        )

    return tree_map(draw, tree)


def assert_trees_close(actual, expected, rtol=1e-7, atol=0.0):
    """Assert that two trees agree in structure, shapes and, within tolerance, values.

    |actual - expected| <= atol + rtol * |expected| for each element; NaN equals NaN.
    Leaves that are not numbers or arrays must be equal. Dtypes are not compared.
    """

    def compare(a, e, path):
        node_a, node_e = _children(a), _children(e)
        if node_e is None or node_a is None:
            assert node_a is node_e, f"at {path}: {a!r} where {e!r} was expected"
            numbers = (int, float, complex, np.generic, np.ndarray)
            if not (isinstance(a, numbers) and isinstance(e, numbers)):
                assert a == e, f"at {path}: {a!r} where {e!r} was expected"
                return
            assert np.shape(a) == np.shape(e), (
                f"at {path}: shape {np.shape(a)} where {np.shape(e)} was expected"
            )
            np.testing.assert_allclose(a, e, rtol=rtol, atol=atol, err_msg=f"at {path}")
            return
        assert type(a) is type(e), f"at {path}: {type(a)} where {type(e)} was expected"
        assert set(node_a[0]) == set(node_e[0]), (
            f"at {path}: keys {node_a[0]} where {node_e[0]} were expected"
        )
        children_a = dict(zip(node_a[0], node_a[1]))
        for key, child in zip(node_e[0], node_e[1]):
            compare(children_a[key], child, f"{path}[{key!r}]")

    compare(actual, expected, "tree")


def directional_difference(function, args, tangents, eps=None):
    """Central difference of `function` at `args` along `tangents`.

    `args` and `tangents` are tuples of equal length, one tangent tree for each argument
    (None where an argument is held fixed, as a whole or in a part). The result has the
    structure of the function's value. `eps` is the step in units of the tangent;
    by default it is chosen so that no element moves by more than about
    eps**(1/3) max(1, |args|) of the least precise dtype in the arguments that move.
    """
    if len(args) != len(tangents):
        raise ValueError(f"{len(args)} arguments but {len(tangents)} tangents")
    tangents = tuple(
        tree_map(lambda _: None, arg) if tangent is None else tangent
        for arg, tangent in zip(args, tangents)
    )
    if eps is None:
        eps = _default_step(tuple(args), tangents)
    above = function(*tree_map(_moved(+eps), tuple(args), tangents))
    below = function(*tree_map(_moved(-eps), tuple(args), tangents))

    def quotient(upper, lower):
        return (upper - lower) / (2.0 * eps) if is_differentiable(upper) else None

    return tree_map(quotient, above, below)


def _moved(step):
    def move(leaf, tangent):
        if tangent is None:
            return leaf.copy() if isinstance(leaf, np.ndarray) else leaf
        moved = leaf + step * tangent
        return np.asarray(moved) if isinstance(leaf, np.ndarray) else type(leaf)(moved)

    return move


def _default_step(args, tangents):
    precision, largest_value, largest_tangent = 0.0, 1.0, 0.0

    def inspect_leaf(leaf, tangent):
        nonlocal precision, largest_value, largest_tangent
        if tangent is not None and np.size(leaf):
            precision = max(precision, np.finfo(np.asarray(leaf).dtype).eps)
            largest_value = max(largest_value, float(np.max(np.abs(leaf))))
            largest_tangent = max(largest_tangent, float(np.max(np.abs(tangent))))

    tree_map(inspect_leaf, args, tangents)
    return np.cbrt(precision) * largest_value / largest_tangent if precision else 1.0


def central_difference_gradient(function, args, wrt=0, eps=None):
    """Gradient of a scalar function by central differences, an element at a time.

    `args` are the positional arguments. `wrt` is a position, a parameter name, or a
    tuple of them (a tuple gives a tuple of gradients). Each gradient has the structure
    and shapes of its argument; complex elements give dL/dRe + i dL/dIm. `eps` is the
    absolute step; by default eps**(1/3) max(1, |x|) for each element x, with eps of its
    dtype. Costs two calls for each real element. Arguments are not changed.

    Raises ValueError if the value is not a real scalar or a name is unknown.
    """
    if isinstance(wrt, tuple):
        return tuple(central_difference_gradient(function, args, w, eps) for w in wrt)
    position = wrt
    if isinstance(wrt, str):
        names = list(inspect.signature(function).parameters)
        if wrt not in names:
            raise ValueError(f"no parameter {wrt!r}; there are {', '.join(names)}")
        position = names.index(wrt)
    leaves = tree_leaves(args[position])

    def value_with(leaf_number, new_leaf):
        remaining = iter(range(len(leaves)))

        def choose(leaf):
            if next(remaining) == leaf_number:
                return new_leaf
            return leaf.copy() if isinstance(leaf, np.ndarray) else leaf

        arguments = list(tree_map(_copied, list(args)))
        arguments[position] = tree_map(choose, args[position])
        value = function(*arguments)
        if np.ndim(value) or np.iscomplexobj(value):
            raise ValueError(f"the value is not a real scalar: {value!r}")
        return float(value)

    numbers = iter(range(len(leaves)))

    def leaf_gradient(leaf):
        number = next(numbers)
        if not is_differentiable(leaf):
            return None
        dtype = np.asarray(leaf).dtype
        gradient = np.zeros(np.shape(leaf), dtype)
        directions = (1.0, 1.0j) if np.iscomplexobj(gradient) else (1.0,)
        for index in np.ndindex(np.shape(leaf)):
            for direction in directions:
                element = np.asarray(leaf)[index]
                step = eps
                if step is None:
                    step = np.cbrt(np.finfo(dtype).eps) * max(1.0, abs(element))
                upper, lower = np.array(leaf), np.array(leaf)
                upper[index] += step * direction
                lower[index] -= step * direction
                # The distance moved, which rounding makes differ from 2 * step.
                distance = float(abs(upper[index] - lower[index]))
                difference = value_with(number, _like(leaf, upper)) - value_with(
                    number, _like(leaf, lower)
                )
                gradient[index] += direction * difference / distance
        return _like(leaf, gradient)

    return tree_map(leaf_gradient, args[position])


def _copied(leaf):
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _like(leaf, array):
    """The array as a value of the leaf's type: array, NumPy scalar or Python number."""
    if isinstance(leaf, np.ndarray):
        return array
    return array[()] if isinstance(leaf, np.generic) else type(leaf)(array[()])
