"""Which numbers of a program depend on which elements of its argument, as a graph.

Each number that a program computes is a *node*: 0 is what depends on nothing, 1 to n
are the elements of the argument, and a new one is made wherever numbers that depend on
different elements meet. Arrays of node numbers are moved about as the program moves its
values (:mod:`s2sad.ops.runtime.dependency_nodes`), so most operations cost
nothing here; the sets of elements themselves are found once, at the end.

>>> graph = DependencyGraph(3)
>>> x = graph.elements((3,))
>>> pair = graph.joined(x[:2], x[1:])
>>> graph.pattern(np.array([pair[0], 0, x[2]])).toarray().astype(int)
array([[1, 1, 0],
       [0, 0, 0],
       [0, 0, 1]])
"""

from __future__ import annotations

from typing import Any

import numpy as np

Nodes = Any
"""Node numbers: an array of ints, or one."""


class DependencyGraph:
    """The nodes of one run of a program, with edges to those that each is made of.

    A node is made after all that it is made of, and has a greater number.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        """How many elements the argument has."""
        self.count = size + 1
        """How many nodes there are."""
        self._targets: list[np.ndarray] = []
        self._sources: list[np.ndarray] = []
        self._single_targets: list[int] = []
        self._single_sources: list[int] = []

    def elements(self, shape: tuple[int, ...]) -> Nodes:
        """The nodes of the argument, in its shape."""
        return np.arange(1, self.size + 1).reshape(shape)[()]

    def made(self, shape: tuple[int, ...]) -> np.ndarray:
        """New nodes."""
        start = self.count
        self.count += int(np.prod(shape, dtype=np.int64))
        return np.arange(start, self.count).reshape(shape)

    def add_edges(self, targets: np.ndarray, sources: np.ndarray) -> None:
        """Note what some nodes are made of, one edge an element of both arrays."""
        real = sources != 0
        self._targets.append(targets[real])
        self._sources.append(sources[real])

    def made_of(self, sources: np.ndarray) -> Nodes:
        """One node that depends on all that ``sources`` depend on."""
        distinct = _distinct(sources)
        distinct = distinct[distinct != 0]
        if len(distinct) == 0:
            return np.int64(0)
        if len(distinct) == 1:
            return distinct[0]
        node = self.made(())
        self.add_edges(np.full(len(distinct), node), distinct)
        return node[()]

    def joined(self, first: Nodes, second: Nodes) -> Nodes:
        """For each pair of nodes, which broadcast, one that depends on both."""
        if np.ndim(first) == 0 and np.ndim(second) == 0:
            return self._joined_numbers(int(first), int(second))
        first, second = np.broadcast_arrays(first, second)
        found: Any = np.array(np.where(first == 0, second, first), np.int64)
        apart = (first != 0) & (second != 0) & (first != second)
        if apart.any():
            one, other = first[apart], second[apart]
            new = self.made(one.shape)
            self.add_edges(new, one)
            self.add_edges(new, other)
            found[apart] = new
        return found

    def _joined_numbers(self, first: int, second: int) -> Nodes:
        if second in (0, first):
            return np.int64(first)
        if first == 0:
            return np.int64(second)
        node = self.count
        self.count += 1
        self._single_targets += (node, node)
        self._single_sources += (first, second)
        return np.int64(node)

    def joined_along(self, lanes: np.ndarray) -> np.ndarray:
        """For each lane along the last axis, a node that depends on all in it."""
        shape = lanes.shape[:-1]
        if lanes.shape[-1] == 0:
            return np.zeros(shape, np.int64)
        first = lanes[..., :1]
        found = lanes[..., 0].astype(np.int64)
        apart = (lanes != first).any(axis=-1)
        if apart.any():
            rows = lanes[apart]
            new = self.made(rows.shape[:1])
            self.add_edges(np.repeat(new, rows.shape[1]), rows.ravel())
            found[apart] = new
        return found

    # ---------------------------------------------------------------- patterns

    def pattern(self, outputs: Nodes) -> Any:
        """A boolean ``scipy.sparse.csr_array`` with a row for each of the nodes
        ``outputs``, in C order, and a column for each element of the argument."""
        from scipy.sparse import csr_array

        wanted = np.ravel(outputs).astype(np.int64)
        targets, sources = self._contracted(wanted)
        rows = _Rows(self.size, self.count)
        rows.resolve(targets, sources)
        lengths = rows.length[wanted]
        indices = rows.flat[_ranges(rows.start[wanted], lengths)]
        bounds = np.concatenate(([0], np.cumsum(lengths)))
        data = np.ones(len(indices), bool)
        shape = (len(wanted), self.size)
        return csr_array((data, indices, bounds), shape=shape)

    def _edges(self) -> tuple[np.ndarray, np.ndarray]:
        targets = np.concatenate([*self._targets, _numbers(self._single_targets)])
        sources = np.concatenate([*self._sources, _numbers(self._single_sources)])
        return targets, sources

    def _contracted(self, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The edges that ``wanted`` nodes need, without nodes on the way that are read
        by one other node alone: a long sum is one node then, not a chain of them."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import breadth_first_order

        targets, sources = self._edges()
        root = self.count
        outputs = _distinct(wanted)
        keys = _distinct(targets * root + sources)
        targets, sources = np.divmod(keys, root)
        tails = np.concatenate([targets, np.full(len(outputs), root)])
        heads = np.concatenate([sources, outputs])
        bounds = np.concatenate(
            ([0], np.cumsum(np.bincount(tails, minlength=root + 1)))
        )
        graph = csr_array((np.ones(len(heads)), heads, bounds), shape=(root + 1,) * 2)
        reached = breadth_first_order(graph, root, return_predecessors=False)
        needed = np.zeros(root + 1, bool)
        needed[reached] = True
        kept = needed[targets]
        targets, sources = targets[kept], sources[kept]
        passed_on = np.bincount(sources, minlength=root) == 1
        passed_on[: self.size + 1] = False
        passed_on[outputs] = False
        reader = np.arange(root)
        inner = passed_on[sources]
        reader[sources[inner]] = targets[inner]
        passing = np.flatnonzero(passed_on)
        while True:
            further = reader[reader[passing]]
            if np.array_equal(further, reader[passing]):
                break
            reader[passing] = further
        return reader[targets[~inner]], sources[~inner]


class _Rows:
    """The elements that each node depends on, one row after the other."""

    def __init__(self, size: int, count: int) -> None:
        self.size = size
        self.start = np.zeros(count, np.int64)
        self.length = np.zeros(count, np.int64)
        self.start[1 : size + 1] = np.arange(size)
        self.length[1 : size + 1] = 1
        self.flat = np.arange(size)
        self.end = size

    def resolve(self, targets: np.ndarray, sources: np.ndarray) -> None:
        """The rows of all targets: those first whose sources are known, then those that
        are made of them, and so on."""
        count = len(self.start)
        inwards = _Grouped(targets, sources, count)
        waiting = sources > self.size
        outwards = _Grouped(sources[waiting], targets[waiting], count)
        open_edges = np.bincount(targets[waiting], minlength=count)
        ready = _distinct(targets)
        ready = ready[open_edges[ready] == 0]
        while len(ready):
            self._append(ready, inwards)
            readers, _ = outwards.of(ready)
            np.subtract.at(open_edges, readers, 1)
            readers = _distinct(readers)
            ready = readers[open_edges[readers] == 0]

    def _append(self, nodes: np.ndarray, inwards: _Grouped) -> None:
        sources, owners = inwards.of(nodes)
        lengths = self.length[sources]
        elements = self.flat[_ranges(self.start[sources], lengths)]
        keys = _distinct(np.repeat(owners, lengths) * self.size + elements)
        owners, elements = np.divmod(keys, self.size)
        counts = np.bincount(owners, minlength=len(nodes))
        while self.end + len(elements) > len(self.flat):
            more = np.empty(max(len(self.flat), len(elements)), np.int64)
            self.flat = np.concatenate([self.flat, more])
        self.flat[self.end : self.end + len(elements)] = elements
        self.length[nodes] = counts
        self.start[nodes] = self.end + np.cumsum(counts) - counts
        self.end += len(elements)


class _Grouped:
    """Edges by one of their ends."""

    def __init__(self, keys: np.ndarray, values: np.ndarray, count: int) -> None:
        self.values = values[np.argsort(keys, kind="stable")]
        self.counts = np.bincount(keys, minlength=count)
        self.starts = np.cumsum(self.counts) - self.counts

    def of(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of some keys, and which key each belongs to."""
        counts = self.counts[keys]
        owners = np.repeat(np.arange(len(keys)), counts)
        return self.values[_ranges(self.starts[keys], counts)], owners


def _ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """``starts[k], starts[k] + 1, ...`` of each length, one behind the other.

    >>> _ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def _distinct(values: np.ndarray) -> np.ndarray:
    """The values in order, each once; np.unique hashes them, which takes longer."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def _numbers(values: list[int]) -> np.ndarray:
    return np.array(values, np.int64)
