"""The graph of a program: what is computed from what, as text or as a picture.

``loss.graph(*args)`` gives a :class:`Graph`: nodes, edges and clusters of the program
as it is specialised for these arguments (``graphs/program.py`` finds them).
``graph.dot`` is its text in the DOT language of Graphviz, always the same for the same
program; ``graph.save("loss.svg")`` draws it with Graphviz's program ``dot``, and
notebooks show that picture.

>>> square = Node(1, "operation", "x ** 2", "float", active=True)
>>> x = Node(0, "argument", "x", "float", active=True)
>>> print(Graph("f", (x, square), (Edge(0, 1, active=True),), ()).dot)
digraph "f" {
    node [shape=box, style="rounded,filled", ...];
    ...
    n0 [label="x\\nfloat", ...];
    n1 [label="x ** 2\\nfloat", ...];
    n0 -> n1 [color="#1b6e3c", penwidth=1.5];
}
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from s2sad.errors import ArgumentError, S2sadError

DRAWN = ("svg", "png", "pdf")
"""The formats that Graphviz makes."""
TEXT = ("dot", "gv")
LONGEST = 60
"""Seconds that a picture may take."""


@dataclass(frozen=True, slots=True)
class Node:
    """One operation of the program, or what it starts from or gives."""

    number: int
    role: str
    """``"argument"``, ``"data"`` (of the module or an enclosing function), ``"value"``
    (a name bound to a constant), ``"operation"``, ``"effect"`` (a call of ``print`` and
    the like), ``"test"`` (of a branch or loop), ``"jump"`` (out of a loop) or
    ``"result"``."""
    text: str
    """The operation in the words of the user. A dot stands for what has no name: it is
    the node at the other end of an edge."""
    kind: str = ""
    """The kind of the value, lengths of axes in parentheses: ``"float64 (2, 3)"``."""
    active: bool = False
    """It depends on what the function is differentiated with respect to, and the result
    depends on it: a derivative goes through it."""
    line: int | None = None
    """The line of the user's file; None where there is none."""
    statement: str = ""
    """The statement on that line."""
    cluster: int | None = None
    """The innermost loop or branch that it stands in."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The node ``target`` reads what the node ``source`` gives."""

    source: int
    target: int
    active: bool = False
    """Derivatives go along it."""
    carried: bool = False
    """From one iteration of a loop to a later one."""
    decides: int | None = None
    """The cluster that is run, or not, by what the source, a test, finds; ``target`` is
    a node in it."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is run more than once, or perhaps: the body of a loop, a branch."""

    number: int
    text: str
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph of a function; see :class:`Node`, :class:`Edge`, :class:`Cluster`."""

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    clusters: tuple[Cluster, ...]

    def __repr__(self) -> str:
        return (
            f"<s2sad: graph of {self.name}, {len(self.nodes)} nodes, "
            f"{len(self.edges)} edges>"
        )

    @property
    def dot(self) -> str:
        """The graph in the DOT language of Graphviz."""
        lines = [f"digraph {_quoted(self.name)} {{"]
        lines += [
            '    node [shape=box, style="rounded,filled", fontname="Helvetica", '
            "fontsize=11, margin=0.1];",
            '    graph [compound=true, fontname="Helvetica", fontsize=11];',
        ]
        lines += self._block(None, 1)
        lines += [f"    {self._edge(edge)}" for edge in self.edges]
        return "\n".join([*lines, "}"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a file: ``.dot`` or ``.gv`` as text, ``.svg``, ``.png`` or
        ``.pdf`` as a picture.

        Raises ArgumentError for other endings, and S2sadError where a picture is wanted
        and Graphviz's program ``dot`` isn't installed, or fails.
        """
        path = Path(path)
        ending = path.suffix.removeprefix(".").lower()
        if ending in TEXT:
            path.write_text(self.dot + "\n", encoding="utf-8")
        elif ending in DRAWN:
            path.write_bytes(_drawn(self.dot, ending))
        else:
            known = ", ".join(f".{e}" for e in (*TEXT, *DRAWN))
            raise ArgumentError(
                f"a graph can't be saved as {path.name!r}: the name must end in one of "
                f"{known}"
            )

    def _repr_svg_(self) -> str | None:
        """The picture in a notebook; None, so that it shows the text of ``repr``, where
        Graphviz isn't installed."""
        if shutil.which("dot") is None:
            return None
        return _drawn(self.dot, "svg").decode("utf-8")

    def _block(self, cluster: int | None, depth: int) -> Iterator[str]:
        """The nodes of a cluster, and the clusters in it."""
        pad = "    " * depth
        for node in self.nodes:
            if node.cluster == cluster:
                yield pad + _node(node)
        for inner in self.clusters:
            if inner.parent == cluster:
                yield f"{pad}subgraph cluster_{inner.number} {{"
                yield f'{pad}    label={_quoted(inner.text)}; color="#8a8a8a";'
                yield from self._block(inner.number, depth + 1)
                yield pad + "}"

    def _edge(self, edge: Edge) -> str:
        style = []
        if edge.decides is not None:
            style += [f"lhead=cluster_{edge.decides}", "style=dotted"]
        elif edge.active:
            style += ['color="#1b6e3c"', "penwidth=1.5"]
        else:
            style += ['color="#8a8a8a"']
        first, second = edge.source, edge.target
        if edge.carried:
            # drawn from below, so that the picture follows the text downwards
            first, second = second, first
            style += ["style=dashed", "dir=back"]
        return f"n{first} -> n{second} [{', '.join(style)}];"


def _node(node: Node) -> str:
    parts = [f"label={_quoted(node.text, node.kind)}"]
    if node.role == "test":
        parts.append("shape=hexagon")
    elif node.role == "result":
        parts.append("peripheries=2")
    elif node.role == "effect":
        parts.append("shape=note")
    elif node.role == "jump":
        parts.append("shape=cds")
    if node.role in ("data", "value"):
        parts.append('style="rounded,filled,dashed"')
    if node.active:
        colour = "#b7e0c3" if node.role == "argument" else "#e4f4e8"
        parts += [f'fillcolor="{colour}"', 'color="#1b6e3c"']
    else:
        colour = "#e6e6e6" if node.role == "argument" else "#ffffff"
        parts += [f'fillcolor="{colour}"', 'color="#8a8a8a"', 'fontcolor="#555555"']
    if node.statement:
        parts.append(f"tooltip={_quoted(f'line {node.line}: {node.statement}')}")
    return f"n{node.number} [{', '.join(parts)}];"


def _quoted(*lines: str) -> str:
    """Lines as one string of the DOT language."""
    escaped = (
        line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        for line in lines
        if line
    )
    return '"' + "\\n".join(escaped) + '"'


def _drawn(dot: str, ending: str) -> bytes:
    """The picture that Graphviz makes of a text."""
    program = shutil.which("dot")
    if program is None:
        raise S2sadError(
            f"a graph is drawn as {ending} by Graphviz's program dot, which isn't "
            'installed: install Graphviz, or save("...dot") and draw it elsewhere'
        )
    try:
        done = subprocess.run(
            [program, f"-T{ending}"],
            input=dot.encode(),
            capture_output=True,
            check=False,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        raise S2sadError(
            f"Graphviz's program dot has no picture after {LONGEST} seconds: take the "
            'graph of a smaller part, or save("...dot") and draw it elsewhere'
        ) from None
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip()
        raise S2sadError(f"Graphviz's program dot failed: {message}")
    return done.stdout
