"""The graph of a program: what is computed from what, as text or as a picture.

``loss.graph(*args)`` gives a :class:`Graph` of the program as it is specialised for
these arguments.
"""

from collections.abc import Callable
from typing import Any

from s2sad.dispatch.target import Target
from s2sad.graphs.drawing import Cluster, Edge, Graph, Node
from s2sad.user_tracebacks import border

__all__ = ["Cluster", "Edge", "Graph", "Node", "graph"]


@border
def graph(function: Callable[..., Any], wrt: Any = 0) -> Callable[..., Graph]:
    """The graph of a function: ``graph(f)(x, y)`` takes the arguments of ``f``.

    Nothing is run: the graph is that of the program for arguments of these kinds.
    Nodes that carry a derivative with respect to ``wrt`` are marked. Calls raise what
    those of a gradient raise, except that the result may be anything.
    """
    target = Target(function)
    target.wrt_names(wrt)

    @border
    def graph_for(*args: Any, **kwargs: Any) -> Graph:
        return graph_of(target, wrt, args, kwargs)

    graph_for.__name__ = f"{target.name}_graph"
    graph_for.__doc__ = f"The graph of {target.name} for a call with these arguments."
    return graph_for


def graph_of(
    target: Target, wrt: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Graph:
    """The graph of a function for the arguments of a call."""
    from s2sad.compiler import specialised_program
    from s2sad.dispatch.dispatcher import check_arguments, with_needed_values
    from s2sad.graphs.program import program_graph
    from s2sad.source.kinds.kinds_of_values import kind_of_value
    from s2sad.source.text.source import source_of

    names, _ = target.wrt_names(wrt)
    named = dict(zip(target.parameters, target.bind(args, kwargs), strict=True))
    kinds = {name: kind_of_value(value, name) for name, value in named.items()}
    check_arguments(target.name, names, kinds, named)
    source = source_of(target.function)
    program, _ = with_needed_values(
        lambda kinds: specialised_program(source, kinds, names),
        kinds,
        named,
        target.name,
    )
    return program_graph(program, names, named)
