"""What the result of an operation depends on, as an operation on nodes.

Part of :mod:`s2sad.transform.sparsity.dependencies`. Operations that only *move*
elements are run on nodes as they are; *elementwise* ones join the nodes of all
arguments; *reductions* join along axes, as the records of operations say
(:mod:`s2sad.ops.records`). Others have a function of their own. What isn't known
depends on all that any argument depends on.
"""

import builtins
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.ops import buffers, lists
from s2sad.ops.runtime import broadcasting
from s2sad.ops.runtime.dependency_nodes import (
    joined_nodes,
    no_nodes_like,
    node_of_all,
    nodes_along_axis,
    nodes_like,
    nodes_of_convolution,
    nodes_of_differences,
    nodes_of_einsum,
    nodes_of_matrix_product,
    nodes_of_outer_product,
    nodes_of_product,
    nodes_of_product_with_matrix,
    nodes_of_sum,
    nodes_summed_to_shape,
    nodes_with_added,
    reduced_nodes,
)
from s2sad.transform.forward.forward import ForwardMode
from s2sad.transform.sparsity.calls_by_parameter import CallByParameter

_REDUCTIONS = (np.average, np.linalg.norm)
"""Reductions along ``axis``, with ``keepdims``, beside those that are recorded so."""

_SPREAD = {
    np.full_like: ("fill_value", "a"),
    broadcasting.broadcast_to_shape_of: ("cotangent", "x"),
    buffers.broadcast_like: ("value", "x"),
    buffers.full_like_of: ("value", "x"),
}
"""The first parameter is spread out to the shape of the second."""

_ADDING = (buffers.index_add, buffers.added_to, buffers.subtracted_from)
"""Sums into elements of a buffer, each named once unless ``repeats``."""

_PRODUCTS = (operator.matmul, np.matmul, operator.imatmul, np.dot)

_COUNTED_STORES: dict[Any, int] = {
    **dict.fromkeys((*buffers.STORES, lists.with_item_stored), 3),
    lists.without_item: 2,
}
"""So many arguments matter; one behind them tells what is overwritten."""
_NODE = ir.NumPyScalar("int64")
_NONE = ir.Const(0)


class NodesOfResults(ForwardMode):
    """Nodes of variables, and of what operations give."""

    graph: ir.Var
    loops: int
    """How many loops are around."""
    same_nodes: dict[str, str]
    """Of variables that are assigned once: the one whose nodes they have."""

    # ---------------------------------------------------------------- nodes

    def full_kind(self, name: str) -> ir.Kind:
        """The kind of the nodes of a variable."""
        return kind_of_nodes(self.kind(name))

    def filled_tangent(self, variable: ir.Var) -> core.Leaf:
        """The nodes of a variable."""
        nodes = self._nodes(variable)
        return core.Leaf(nodes, self.full_kind(variable.name))

    def assign_zero_tangent(self, variable: ir.Var) -> None:
        """``x.nodes = 0`` of the shape of ``x``."""
        kind = self.full_kind(variable.name)
        self._assign(variable, self._no_nodes(variable), kind)

    def tangents(self, operand: Any) -> Any:
        """The nodes of what is returned."""
        return self._nodes(operand)

    def _assign(self, target: ir.Var, value: Any, kind: ir.Kind) -> None:
        self.dot_kinds[target.name] = self.full_kind(target.name)
        self.spec.assign(self.dot(target.name), value, kind)

    def _is_active(self, operand: Any) -> bool:
        return any(v.name in self.active for v in ir.operand_variables(operand))

    def _nodes(self, operand: Any) -> Any:
        """The nodes of an operand, as an operand."""
        if isinstance(operand, ir.Var) and operand.name in self.active:
            return self.dot(operand.name)
        if isinstance(operand, ir.Pack):
            return replace(operand, items=tuple(map(self._nodes, operand.items)))
        if isinstance(operand, ir.Var | ir.Global):
            value = self._no_nodes(operand)
            if not isinstance(value, ir.Apply):
                return value
            own = self.spec.fresh("nodes")
            self.spec.assign(own, value, ir.UNKNOWN)
            return own
        return ir.Const(None) if operand == ir.Const(None) else _NONE

    def _no_nodes(self, operand: ir.Var | ir.Global) -> Any:
        kind = self.kind(operand.name) if isinstance(operand, ir.Var) else ir.UNKNOWN
        if isinstance(kind, ir.Scalar | ir.NumPyScalar):
            return _NONE
        return ir.Apply(no_nodes_like, (operand,))

    # ---------------------------------------------------------------- operations

    def nodes_of_result(self, s: ir.Assign) -> Any:
        """The nodes of what an operation gives: an operation on nodes, nodes to be
        spread out to the shape of the result, or None where it depends on nothing."""
        value = s.value
        assert isinstance(value, ir.Apply)
        rule = rules.rule_for(value.function)
        if rule is None or isinstance(value.function, ir.Procedure):
            return self._all_of(value)
        if not rule.differentiates:
            return None
        call = CallByParameter(rule, value)
        data = [o for o in call.data() if self._is_active(o)]
        if not data:
            return None
        if not _is_own(rule):  # its derivative may be that of another function
            return self._elementwise(s, call) if rule.partials else self._all_of(value)
        moves = ops.does(value.function, ops.Does.MOVES)
        if not isinstance(s.target, ir.Var) and not moves:
            return self._all_of(value)
        special = self._special(s, call)
        if special is not None:
            return special
        if moves:
            return self._moved(call)
        plain = ops.does(value.function, ops.Does.ELEMENTWISE)
        if plain or rule.partials is not None:
            return self._elementwise(s, call)
        return self._all_of(value)

    def _all_of(self, value: ir.Apply) -> Any:
        variables = dict.fromkeys(
            v.name for v in ir.value_variables(value) if v.name in self.active
        )
        if not variables:
            return None
        own = self.spec.fresh("node")
        dots = tuple(map(self.dot, variables))
        self.spec.assign(own, ir.Apply(node_of_all, (self.graph, *dots)), _NODE)
        return Spread(own)

    def _moved(self, call: CallByParameter) -> Any:
        """The same operation on nodes."""
        value = call.value
        count = _COUNTED_STORES.get(value.function)
        args: list[ir.Operand] = []
        for place, operand in enumerate(value.args[:count]):
            parameter = call.parameter_of(place)
            if parameter in ("dtype", "arr_dtype"):
                break
            args.append(self._moved_operand(call, parameter, operand))
        keywords = tuple(
            (name, self._moved_operand(call, name, operand))
            for name, operand in value.keywords
            if name != "dtype"
        )
        return replace(value, args=tuple(args), keywords=keywords)

    def _moved_operand(
        self, call: CallByParameter, parameter: str, operand: Any
    ) -> Any:
        if parameter not in call.rule.differentiable:
            return operand
        if call.value.function is ops.stored and parameter == "value":
            return self._nodes(operand) if self._is_active(operand) else _NONE
        return self._nodes(operand)

    def _elementwise(self, s: ir.Assign, call: CallByParameter) -> Any:
        """Nodes joined, and spread out where values that depend on nothing may be
        larger."""
        operands = call.data()
        if any(isinstance(o, ir.Pack) for o in operands):
            return self._all_of(call.value)
        active = [o for o in operands if self._is_active(o)]
        names = list(dict.fromkeys(self._first_with_nodes(o.name) for o in active))
        dots = tuple(map(self.dot, names))
        joined: Any = dots[0]
        if len(dots) > 1:
            joined = ir.Apply(joined_nodes, (self.graph, *dots))
        if self._fits(s, call, names):
            return joined
        if isinstance(joined, ir.Apply):
            own = self.spec.fresh("nodes")
            self.spec.assign(own, joined, ir.UNKNOWN)
            joined = own
        return Spread(joined)

    def _first_with_nodes(self, name: str) -> str:
        return self.same_nodes.get(name, name)

    def _note_same(self, target: ir.Var, nodes: Any) -> None:
        """Remember that a variable has the nodes of another; in a loop, the other may
        be a step ahead."""
        if self.loops:
            return
        for name in self.active:
            if nodes == self.dot(name) and not {name, target.name} & self.written_often:
                self.same_nodes[target.name] = self._first_with_nodes(name)

    def _fits(self, s: ir.Assign, call: CallByParameter, names: list[str]) -> bool:
        """True where the result surely has the shape to which the active arguments
        broadcast."""
        kinds = [self.kind(name) for name in names]
        if any(isinstance(k, ir.List) for k in kinds):
            return False
        others = [*call.value.args, *(v for _, v in call.value.keywords)]
        inactive = [o for o in others if not self._is_active(o)]
        if all(self._is_number(o) for o in inactive):
            return True
        assert isinstance(s.target, ir.Var)
        axes = ir.axes_of(s.kind or self.kind(s.target.name))
        if axes is None or ir.is_promoted(s.kind or self.kind(s.target.name)):
            return False
        return any(_same_axes(axes, kind) for kind in kinds)

    def _is_number(self, operand: Any) -> bool:
        if isinstance(operand, ir.Const):
            return True
        kind = self.kind(operand.name) if isinstance(operand, ir.Var) else ir.UNKNOWN
        return isinstance(kind, ir.Scalar | ir.NumPyScalar)

    def _special(self, s: ir.Assign, call: CallByParameter) -> Any:
        """The operations that have a function of their own; None for others."""
        function, graph = call.value.function, self.graph
        if function in _SPREAD:
            first, second = (call.operand(p) for p in _SPREAD[function])
            return ir.Apply(nodes_like, (self._nodes(first), second))
        if function in _ADDING:
            return self._added(s, call)
        if function is ops.accumulated:
            array, index = call.operand("array"), call.operand("index")
            added = self._nodes(call.operand("value"))
            return ir.Apply(nodes_with_added, (graph, self._nodes(array), index, added))
        if function in _REDUCTIONS or ops.does(function, ops.Does.REDUCES):
            parameter = next(iter(call.bound))
            if any(self._is_active(o) for o in call.data()[1:]):
                return self._all_of(call.value)
            rest = (call.operand("axis"), call.operand("keepdims", ir.Const(False)))
            return ir.Apply(
                reduced_nodes, (graph, self._nodes(call.operand(parameter)), *rest)
            )
        if ops.does(function, ops.Does.RUNS):
            default = call.rule.signature.parameters["axis"].default
            axis = call.operand("axis", ir.Const(default))
            nodes = self._nodes(call.operand("a"))
            return ir.Apply(nodes_along_axis, (graph, nodes, axis))
        if function is np.diff:
            rest = (call.operand("n", ir.Const(1)), call.operand("axis", ir.Const(-1)))
            nodes = self._nodes(call.operand("a"))
            return ir.Apply(nodes_of_differences, (graph, nodes, *rest))
        if function is broadcasting.sum_to_shape_of:
            nodes = self._nodes(call.operand("cotangent"))
            return ir.Apply(nodes_summed_to_shape, (graph, nodes, call.operand("x")))
        if function is builtins.sum:
            given = [self._nodes(o) for o in call.value.args]
            return ir.Apply(nodes_of_sum, (graph, *given))
        return self._product(call)

    def _added(self, s: ir.Assign, call: CallByParameter) -> Any:
        """``x.nodes[i] = joined_nodes(graph, x.nodes[i], v.nodes)``."""
        buffer, index, value = call.value.args[:3]
        assert isinstance(s.target, ir.Var)
        if not isinstance(self.kind(s.target.name), ir.Array):
            return self._all_of(call.value)
        nodes = self._nodes(buffer)
        if not self._is_active(value):
            return nodes
        added = self._nodes(value)
        if call.operand("repeats", ir.Const(False)) != ir.Const(False):
            return ir.Apply(nodes_with_added, (self.graph, nodes, index, added))
        if not self._is_active(buffer):
            return ir.Apply(ops.stored, (nodes, index, added))
        old, new = self.spec.fresh("nodes"), self.spec.fresh("nodes")
        self.spec.assign(old, ir.Apply(operator.getitem, (nodes, index)), ir.UNKNOWN)
        self.spec.assign(
            new, ir.Apply(joined_nodes, (self.graph, old, added)), ir.UNKNOWN
        )
        return ir.Apply(ops.stored, (nodes, index, new))

    def _product(self, call: CallByParameter) -> Any:
        function, graph = call.value.function, self.graph
        if function is np.outer:
            both = (self._nodes(call.operand("a")), self._nodes(call.operand("b")))
            return ir.Apply(nodes_of_outer_product, (graph, *both))
        if function is np.convolve:
            both = (self._nodes(call.operand("a")), self._nodes(call.operand("v")))
            mode = call.operand("mode", ir.Const("full"))
            return ir.Apply(nodes_of_convolution, (graph, *both, mode))
        if function is np.einsum:
            subscripts, *operands = call.value.args
            text = getattr(subscripts, "value", None)
            if not isinstance(text, str) or "..." in text:
                return None
            terms = tuple(map(self._nodes, operands))
            return ir.Apply(nodes_of_einsum, (graph, subscripts, *terms))
        if function not in _PRODUCTS:
            return None
        x, y = call.value.args[:2]
        ranks = [ir.rank_of(self.value(o).kind) for o in (x, y)]  # type: ignore[union-attr]
        if None in ranks or (function is np.dot and max(ranks) > 2):  # type: ignore[type-var, operator]
            return None
        if self._is_active(x) and self._is_active(y):
            return ir.Apply(nodes_of_product, (graph, self._nodes(x), self._nodes(y)))
        if self._is_active(y):
            return ir.Apply(nodes_of_matrix_product, (graph, x, self._nodes(y)))
        return ir.Apply(nodes_of_product_with_matrix, (graph, self._nodes(x), y))


class Spread:
    """Nodes that are spread out to the shape of the result."""

    def __init__(self, nodes: ir.Operand) -> None:
        self.nodes = nodes


def _is_own(rule: rules.Rule) -> bool:
    """False for a rule that a user has put in place of ours."""
    texts = (rule.partials, rule.reverse, rule.forward)
    return all(
        (getattr(text, "__module__", None) or "").startswith("s2sad.")
        for text in texts
        if text is not None
    )


def _same_axes(axes: Any, kind: ir.Kind) -> bool:
    own = ir.axes_of(kind)
    if own is None or ir.is_promoted(kind) or len(own) != len(axes):
        return False
    return all(
        a.length == b.length == "one" or (a.symbol is not None and a.symbol == b.symbol)
        for a, b in zip(axes, own, strict=True)
    )


def kind_of_nodes(kind: ir.Kind | None) -> ir.Kind:
    """The kind of the nodes of a value."""
    if isinstance(kind, ir.Scalar | ir.NumPyScalar):
        return _NODE
    if isinstance(kind, ir.Array):
        return replace(kind, dtype="int64")
    if isinstance(kind, ir.List):
        if kind.item is None or not ir.is_real_number_kind(kind.item):
            return kind
        return replace(kind, item=kind_of_nodes(kind.item))
    return ir.UNKNOWN
