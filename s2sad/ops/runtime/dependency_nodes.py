"""What each number depends on, as nodes of a graph: beside an operation on values, the
one on the nodes of these values.

``graph`` is a :class:`s2sad.sparse.graph.DependencyGraph`; nodes are arrays of ints, of
the shape of the values. Results are arrays of their own. A node may depend on more than
the value does, never on less.
"""

from typing import Any

import numpy as np


def element_nodes(graph: Any, x: Any) -> Any:
    """The nodes of the argument whose elements are followed."""
    return graph.elements(np.shape(x))


def nodes_like(nodes: Any, value: Any) -> Any:
    """The nodes spread out to the shape of a value, to the items of a list.

    >>> nodes_like(7, np.zeros(2))
    array([7, 7])
    """
    if isinstance(value, list | tuple):
        own = isinstance(nodes, list | tuple)
        return [nodes_like(nodes[k] if own else nodes, v) for k, v in enumerate(value)]
    if isinstance(nodes, list | tuple):
        nodes = np.array(nodes)
    if np.ndim(value) == 0:
        return np.reshape(nodes, ()).astype(np.int64)[()]
    return np.broadcast_to(nodes, np.shape(value)).astype(np.int64)


def no_nodes_like(value: Any) -> Any:
    """The nodes of a value that depends on nothing.

    >>> no_nodes_like([1.0, np.ones(2)])
    [np.int64(0), array([0, 0])]
    """
    return None if value is None else nodes_like(0, value)


def joined_nodes(graph: Any, *nodes: Any) -> Any:
    """Of an elementwise operation."""
    found, *others = nodes
    for other in others:
        found = graph.joined(found, other)
    return found


def node_of_all(graph: Any, *nodes: Any) -> Any:
    """One node for all that some values depend on."""
    return graph.made_of(np.concatenate([*map(_flat, nodes), np.zeros(0, np.int64)]))


def nodes_of_sum(graph: Any, items: Any, start: Any = 0) -> Any:
    """Of Python's ``sum(items, start)``."""
    if isinstance(items, np.ndarray):
        return graph.joined(reduced_nodes(graph, items, 0), start)
    return joined_nodes(graph, start, *items)


def reduced_nodes(
    graph: Any, nodes: Any, axis: Any = None, keepdims: Any = False
) -> Any:
    """Of a reduction along some axes: each result depends on all in its lanes."""
    nodes = np.asarray(nodes, np.int64)
    rank = nodes.ndim
    if axis is None:
        axes = tuple(range(rank))
    else:
        axes = tuple(int(a) % rank for a in np.atleast_1d(axis)) if rank else ()
    kept = [k for k in range(rank) if k not in axes]
    lanes = nodes.transpose(*kept, *axes)
    lengths = [nodes.shape[k] for k in kept]
    count = int(np.prod([nodes.shape[k] for k in axes], dtype=np.int64))
    found = graph.joined_along(np.reshape(lanes, (*lengths, count)))
    if keepdims:
        found = np.reshape(
            found, [1 if k in axes else nodes.shape[k] for k in range(rank)]
        )
    return found[()]


def nodes_along_axis(graph: Any, nodes: Any, axis: Any = -1) -> Any:
    """Of an operation that turns each lane along an axis into one of the same length,
    in any way; all elements are one lane where there is no axis."""
    nodes = np.asarray(nodes, np.int64)
    if axis is None:
        nodes, axis = np.ravel(nodes), 0
    if nodes.ndim == 0:
        return nodes[()]
    whole = reduced_nodes(graph, nodes, axis, True)
    return np.array(np.broadcast_to(whole, nodes.shape))


def nodes_of_differences(graph: Any, nodes: Any, n: Any = 1, axis: Any = -1) -> Any:
    """Of ``np.diff``."""
    nodes = np.moveaxis(np.asarray(nodes, np.int64), axis, -1)
    for _ in range(n):
        nodes = graph.joined(nodes[..., 1:], nodes[..., :-1])
    return np.array(np.moveaxis(nodes, -1, axis))


def nodes_summed_to_shape(graph: Any, nodes: Any, x: Any) -> Any:
    """Of a sum over the axes in which ``x`` was broadcast."""
    shape = np.shape(x)
    extra = np.ndim(nodes) - len(shape)
    if extra > 0:
        nodes = reduced_nodes(graph, nodes, tuple(range(extra)))
    lengths = np.shape(nodes)
    stretched = tuple(
        axis
        for axis in range(-min(len(lengths), len(shape)), 0)
        if shape[axis] == 1 and lengths[axis] != 1
    )
    if stretched:
        nodes = reduced_nodes(graph, nodes, stretched, True)
    return nodes


def nodes_of_product(graph: Any, x: Any, y: Any) -> Any:
    """Of ``x @ y``, from the nodes of both: row of one, column of the other."""
    x, y = np.asarray(x, np.int64), np.asarray(y, np.int64)
    rows, columns = x, y
    if x.ndim > 0 and y.ndim > 0:
        rows = reduced_nodes(graph, x, -1)
        columns = reduced_nodes(graph, y, -1 if y.ndim == 1 else -2)
        if x.ndim > 1 and y.ndim > 1:
            rows, columns = rows[..., :, None], columns[..., None, :]
        elif x.ndim > 1 and y.ndim == 1:
            columns = np.reshape(columns, ())
        elif y.ndim > 1:
            rows = np.reshape(rows, ())
    return graph.joined(rows, columns)


def nodes_of_matrix_product(graph: Any, matrix: Any, y: Any) -> Any:
    """Of ``matrix @ y`` with a matrix that depends on nothing: its zeros count."""
    matrix, y = np.asarray(matrix), np.asarray(y, np.int64)
    if matrix.ndim != 2 or y.ndim not in (1, 2):
        return nodes_of_product(graph, np.zeros(matrix.shape, np.int64), y)
    full = matrix != 0
    columns = y[:, None] if y.ndim == 1 else y
    found = np.zeros((len(matrix), columns.shape[1]), np.int64)
    if full.all():
        found[:] = reduced_nodes(graph, columns, 0)
    elif found.size:
        found = graph.made(found.shape)
        rows, places = np.nonzero(full)
        graph.add_edges(found[rows].ravel(), columns[places].ravel())
    return found[:, 0] if y.ndim == 1 else found


def nodes_of_product_with_matrix(graph: Any, x: Any, matrix: Any) -> Any:
    """Of ``x @ matrix``, likewise."""
    matrix, x = np.asarray(matrix), np.asarray(x, np.int64)
    if matrix.ndim != 2 or x.ndim not in (1, 2):
        return nodes_of_product(graph, x, np.zeros(matrix.shape, np.int64))
    return np.array(nodes_of_matrix_product(graph, matrix.T, x.T).T)


def nodes_of_outer_product(graph: Any, a: Any, b: Any) -> Any:
    """Of ``np.outer(a, b)``."""
    return graph.joined(np.ravel(a)[:, None], np.ravel(b)[None, :])


def nodes_of_einsum(graph: Any, subscripts: Any, *operands: Any) -> Any:
    """Of ``np.einsum``: of each operand, all along the axes that are summed."""
    inputs, _, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if "->" not in subscripts:
        labels = inputs.replace(",", "")
        output = "".join(sorted(c for c in set(labels) if labels.count(c) == 1))
    lengths: dict[str, int] = {}
    found: Any = np.zeros((), np.int64)
    for term, nodes in zip(terms, operands, strict=True):
        nodes = np.asarray(nodes, np.int64)
        own = "".join(dict.fromkeys(term))
        if own != term:
            nodes = np.einsum(f"{term}->{own}", nodes)
        for label, length in zip(own, nodes.shape, strict=True):
            lengths[label] = max(length, lengths.get(label, 1))
        summed = tuple(k for k, label in enumerate(own) if label not in output)
        nodes = np.asarray(reduced_nodes(graph, nodes, summed))
        left = [label for label in own if label in output]
        order = sorted(range(len(left)), key=lambda k: output.index(left[k]))
        nodes = nodes.transpose(order)
        own_lengths = dict(zip(sorted(left, key=output.index), nodes.shape))
        shape = [own_lengths.get(c, 1) for c in output]
        found = graph.joined(found, np.reshape(nodes, shape))
    whole = tuple(lengths[c] for c in output)
    return np.array(np.broadcast_to(found, whole))[()]


def nodes_of_convolution(graph: Any, a: Any, v: Any, mode: str = "full") -> Any:
    """Of ``np.convolve(a, v, mode)`` of two vectors of nodes."""
    a, v = np.atleast_1d(np.asarray(a, np.int64)), np.atleast_1d(v).astype(np.int64)
    if len(v) > len(a):
        a, v = v, a
    length = len(a) + len(v) - 1
    found = graph.made((length,))
    places = np.arange(len(a))[:, None] + np.arange(len(v))[None, :]
    for nodes in (a[:, None], v[None, :]):
        nodes = np.broadcast_to(nodes, places.shape)
        graph.add_edges(found[places].ravel(), nodes.ravel())
    if mode == "valid":
        return found[len(v) - 1 : len(a)]
    if mode == "same":
        start = (len(v) - 1) // 2
        return found[start : start + len(a)]
    return found


def nodes_with_added(graph: Any, nodes: Any, index: Any, added: Any) -> Any:
    """Of ``np.add.at(x, index, value)``: an element may be named more than once."""
    found = np.array(nodes, np.int64)
    places = np.arange(found.size).reshape(found.shape)[index]
    added = np.broadcast_to(added, np.shape(places)).ravel()
    places = np.ravel(places)
    named = np.unique(places)
    new = graph.made(named.shape)
    flat = found.reshape(-1)
    graph.add_edges(new, flat[named])
    graph.add_edges(new[np.searchsorted(named, places)], added.astype(np.int64))
    flat[named] = new
    return found[()]


def _flat(nodes: Any) -> Any:
    """All nodes in an array, a number or nested lists, in one array."""
    if nodes is None:
        return np.zeros(0, np.int64)
    if isinstance(nodes, list | tuple):
        return np.concatenate([*map(_flat, nodes), np.zeros(0, np.int64)])
    return np.ravel(nodes).astype(np.int64)
