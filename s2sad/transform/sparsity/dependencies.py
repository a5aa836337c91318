"""Dependencies: beside each assignment, what the values depend on.

Takes a function of webs and its active variables; gives a function that runs the
program on its arguments and follows, for each number, which elements of one argument it
depends on. Instead of tangents it carries the nodes of a graph
(:mod:`s2sad.sparse.graph`), arrays of ints of the shape of the values::

    z = getitem(x, 1:)      ->      z.nodes = getitem(x.nodes, 1:)
    y = mul(z, sin(z))              y.nodes = z.nodes
    s = add(y, w)                   s.nodes = joined_nodes(graph, y.nodes, w.nodes)

Control follows the values at hand, so the result holds for the branches that they take.
Where nothing is known of an operation, each of its results depends on all that its
arguments depend on. Source for sparsity by propagation of index sets: Griewank and
Walther, Evaluating Derivatives (2nd ed.), section 7.1.
"""

from dataclasses import replace
from typing import Any

from s2sad import errors, ir, ops
from s2sad.frontend.specialise import Specialised, core
from s2sad.ops.runtime.dependency_nodes import element_nodes, nodes_like
from s2sad.transform.adjoints.adjoints import unused_suffix
from s2sad.transform.forward.tangents import fresh_parameter
from s2sad.transform.reverse.reverse import may_vary
from s2sad.transform.run_time.active_references import active_in
from s2sad.transform.sparsity import nodes_of_results


def with_dependencies(
    specialised: Specialised, function: ir.Function, wrt: str
) -> ir.Function:
    """The function that takes a graph behind its arguments, and returns the nodes of
    its result, which is one number or array.

    Raises ArgumentError for other results.
    """
    spec = specialised.specialiser
    if not isinstance(specialised.result, core.Leaf):
        raise errors.ArgumentError(
            f"{function.name} returns a structure, but a sparse Jacobian is that of "
            "one array: return one with np.concatenate or np.stack"
        )
    spec.derived = True
    (argument,) = core.leaves(specialised.arguments[wrt])
    assert isinstance(argument.operand, ir.Var)
    name = argument.operand.name
    graph = fresh_parameter("graph", function)
    active = active_in(function, [name], may_vary(function))
    if any(map(ir.is_adjoint, map(function.kinds.get, active))):
        raise errors.ArgumentError(
            f"{function.name} takes a gradient with respect to a list, dict or object "
            "that is kept as it is, and what that depends on isn't followed: use "
            "jacobian"
        )
    if any(map(ir.is_of_references, map(function.kinds.get, active))):
        raise errors.ArgumentError(
            f"{function.name} stores what depends on {wrt} into an object, list or "
            "dict that is kept as it is, where that isn't followed: use jacobian"
        )
    function = replace(function, kinds={**function.kinds, graph: ir.OPAQUE})
    mode = DependencyMode(function, specialised, active, argument, ir.Var(graph))
    followed = mode.run()
    return replace(followed, parameters=(*function.parameters, graph))


class DependencyMode(nodes_of_results.NodesOfResults):
    """Makes the program that carries nodes along: what forward mode does with tangents,
    with a table of its own for operations."""

    def __init__(
        self,
        function: ir.Function,
        specialised: Specialised,
        active: set[str],
        argument: core.Leaf,
        graph: ir.Var,
    ) -> None:
        assert isinstance(argument.operand, ir.Var)
        spec, name = specialised.specialiser, argument.operand.name
        self.graph = graph
        start = spec.fresh("elements")
        given = {name: core.Leaf(start, nodes_of_results.kind_of_nodes(argument.kind))}
        super().__init__(function, specialised, active | {name}, given)
        self.dot_suffix = unused_suffix(function, ".nodes")
        self.loops = 0
        self.same_nodes: dict[str, str] = {}
        """Of variables that are assigned once: the one whose nodes they have."""
        first = ir.Apply(element_nodes, (graph, argument.operand))
        self.first = ir.Assign(None, start, first, given[name].kind)

    def run(self) -> ir.Function:
        """The function that returns the nodes of its result."""
        made = super().run()
        return replace(made, body=(self.first, *made.body))

    def statement(self, s: ir.Statement) -> None:
        """Emit one statement and what its results depend on."""
        if isinstance(s, ir.Return):
            self.spec.emit(replace(s, value=self._nodes(s.value)))
            return
        inner = isinstance(s, ir.Loop)
        self.loops += inner
        super().statement(s)
        self.loops -= inner

    # ---------------------------------------------------------------- assignments

    def assignment(self, s: ir.Assign) -> None:
        """An assignment, and that of the nodes of what it gives: from nodes read before
        it, and where the shape of the result matters behind it."""
        targets = ir.operand_variables(s.target)
        active = [v for v in targets if v.name in self.active]
        if not active:
            self.spec.emit(s)
            return
        value = s.value
        if isinstance(value, ir.Apply) and value.function in (
            ops.new_stack,
            ops.new_list,
        ):
            self.spec.emit(s)
            self.dot_kinds[active[0].name] = self.full_kind(active[0].name)
            self.spec.emit(replace(s, target=self.dot(active[0].name)))
            return
        if isinstance(value, ir.Apply) and value.function is ops.shortened_stack:
            self.spec.emit(s)
            own = self.dot(active[0].name)
            shortened = replace(value, args=(own, value.args[1]))
            self.spec.emit(replace(s, target=own, value=shortened))
            return
        given = self.given.get(active[0].name)
        if given is not None and active[0].name not in self.function.parameters:
            self.spec.emit(s)  # an argument taken out of a structure
            self._assign(active[0], given.operand, given.kind)
            return
        found = (
            self.nodes_of_result(s)
            if isinstance(value, ir.Apply)
            else self._plain(value)
        )
        spread = isinstance(found, nodes_of_results.Spread)
        nodes = found.nodes if isinstance(found, nodes_of_results.Spread) else found
        held = []
        if nodes is not None and not spread:
            held = self._held(s, nodes)
        self.spec.emit(s)
        if nodes is None:
            for variable in active:
                self.assign_zero_tangent(variable)
        elif spread:
            for variable in active:
                like = ir.Apply(nodes_like, (nodes, variable))
                self._assign(variable, like, self.full_kind(variable.name))
        else:
            for target, operand in held:
                self._assign(target, operand, self.full_kind(target.name))

    def _held(self, s: ir.Assign, nodes: Any) -> list[tuple[ir.Var, ir.Operand]]:
        """Assign the nodes in front of the statement; gives what is to be assigned
        behind it instead, so that nodes change only where values do."""
        later: list[tuple[ir.Var, ir.Operand]] = []
        if isinstance(s.target, ir.Var):
            kind = self._kind_of_result(s)
            if self.attempts:
                own = self.spec.fresh("nodes")
                self.spec.assign(own, nodes, kind)
                return [(s.target, own)]
            self._assign(s.target, nodes, kind)
            if isinstance(nodes, ir.Var):
                self._note_same(s.target, nodes)
            return []
        targets: list[ir.Operand] = []
        for target in s.target.items:
            own = self.spec.fresh("nodes")
            targets.append(own)
            if isinstance(target, ir.Var) and target.name in self.active:
                later.append((target, own))
        self.spec.emit(
            ir.Assign(
                s.span, replace(s.target, items=tuple(targets)), nodes, ir.UNKNOWN
            )
        )
        return later

    def _kind_of_result(self, s: ir.Assign) -> ir.Kind:
        assert isinstance(s.target, ir.Var)
        return nodes_of_results.kind_of_nodes(s.kind or self.kind(s.target.name))

    def _plain(self, value: Any) -> Any:
        """The nodes of an operand that is assigned."""
        if isinstance(value, ir.Const) and value.value is None:
            return value
        if isinstance(value, ir.Pack) or self._is_active(value):
            return self._nodes(value)
        return None
