"""The gradient of a function as one program: forward sweep, reverse sweep, result."""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.assigned import assigned_on_every_path
from s2sad.analysis.reverse.costs import IN_PYTHON, Costs, Prices
from s2sad.analysis.reverse.settled_reads import settled_calls, settled_reads
from s2sad.errors import ArgumentError
from s2sad.frontend.specialise import Specialised, core
from s2sad.frontend.specialise.control.local_values import is_retained
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives import gradients_of_lists
from s2sad.ops.runtime.arguments import gradient_like
from s2sad.ops.runtime.broadcasting import broadcast_along_items
from s2sad.ops.runtime.results import require_number
from s2sad.ops.runtime.structures import as_structure
from s2sad.transform.adjoints.cotangents import Cotangent, Masked
from s2sad.transform.calls import properties, refused_parameters
from s2sad.transform.programs import checkpoints, chosen_iterations
from s2sad.transform.programs.outlined_regions import inlined, inlined_forward
from s2sad.transform.reverse.assemble import assemble
from s2sad.transform.reverse.results_at_hand import reading_results_at_hand
from s2sad.transform.reverse.reverse import ReverseMode, may_matter
from s2sad.transform.reverse.reverse_references import with_adjoints_given
from s2sad.transform.run_time.active_references import active_in

SEED = "gradient"
"""The parameter that takes the cotangent of a non-scalar result."""


@dataclass(frozen=True)
class Sweeps:
    """The two sweeps of a function, and where the gradients are when they have run."""

    function: ir.Function
    """Kinds and temporaries; its body is the forward sweep, without a return."""
    reverse: ir.Block
    result: ir.Operand
    gradients: tuple[core.Value, ...]
    """One for each of the parameters asked for."""
    marks: Mapping[str, Masked]
    """How their cotangents are marked."""
    adjoints_of_results: tuple[ir.Operand, ...] = ()
    """The adjoints of those results that are references."""


def check_result(kind: ir.Kind, name: str) -> None:
    """A gradient needs one number; raises ArgumentError for anything else."""
    if ir.is_complex(kind):
        raise ArgumentError(f"{name} returns a complex number; return a real one")
    if isinstance(kind, ir.Scalar | ir.NumPyScalar) and ir.is_real_number_kind(kind):
        return
    rank = ir.rank_of(kind)
    if rank == 0 or (isinstance(kind, ir.Array) and kind.promoted):
        return
    if not ir.is_real_number_kind(kind):
        raise ArgumentError(f"{name} returns {kind}, which has no gradient")
    if rank is not None:
        raise ArgumentError(
            f"{name} returns an array of {rank} axes ({kind}), and a gradient needs a "
            "number: pass its cotangent as gradient=, or use vjp"
        )
    if not hasattr(kind, "axes") and not hasattr(kind, "inactive"):
        raise ArgumentError(
            f"{name} returns {kind}, and a gradient needs one number: return one, or "
            "use vjp"
        )


def sweeps(
    specialised: Specialised,
    function: ir.Function,
    wrt: Sequence[str],
    seed: core.Value,
    seed_lines: ir.Block = (),
    *,
    recompute: bool = True,
    whole_seeds: bool = False,
    marked: Masked | Sequence[Masked] = Masked.NO,
    value: bool = True,
    again: bool = False,
    as_given: bool = False,
    prices: Prices = IN_PYTHON,
    adjoints_given: bool = False,
    at_once: bool = False,
) -> Sweeps:
    """Forward and reverse sweep of a function, seeded with ``seed``. ``whole_seeds``:
    cotangents of lists have an item for each of theirs; seeds are ``marked``, those
    of each result or all of them alike; ``value``: somebody reads the result;
    ``again``: the sweeps are differentiated; ``as_given``: gradients of lists are lists
    or tuples as the arguments, not cotangents as arrays; ``prices`` say what is kept
    and what computed again. ``adjoints_given``: the adjoints of references are
    parameters behind the others, and have no gradient. ``at_once``: nothing is stored
    between the sweeps or behind them."""
    spec = specialised.specialiser
    properties.note_derivatives(function, specialised.given)
    independents = [
        leaf.operand.name
        for name in wrt
        for leaf in core.leaves(specialised.arguments[name])
        if isinstance(leaf.operand, ir.Var) and ir.is_real_number_kind(leaf.kind)
    ]
    refused_parameters.check_refused(function, independents, spec, whole_seeds)
    function = _with_tests_apart(function, spec)
    function = _with_items(
        _with_results_apart(function, spec), specialised, independents
    )
    given: tuple[str, ...] = ()
    if adjoints_given:
        function, given = with_adjoints_given(function, independents)
    active = _active_in(function, independents, spec, adjoints_given)
    if spec.options.chosen_iterations and not spec.retained:
        chosen = chosen_iterations.with_chosen_iterations(function, active, spec)
        if chosen is not function:
            function = chosen
            active = _active_in(function, independents, spec, adjoints_given)
    last = function.body[-1]
    assert isinstance(last, ir.Return)
    result = last.value
    while True:
        mode = ReverseMode(function, specialised, active, set(independents), again)
        mode.given_adjoints = frozenset(given)
        mode.at_once = at_once
        mode.settled_calls = settled_calls(function.body) if at_once else frozenset()
        mode.structure_seeds = _structure_seeds(result, seed, mode)
        seeds = _seeds(result, seed, mode, whole_seeds)
        for place, variable in enumerate(_result_leaves(result)):
            mark = marked if isinstance(marked, Masked) else marked[place]
            if variable.name in seeds:
                known = seeds[variable.name]
                itself = known.value if mark is Masked.UNIT else None
                seeds[variable.name] = replace(known, masked=mark, contributed=itself)
        plans = mode.run(seeds)
        spec.raise_problems()
        if not mode.unbound_rows:
            break
        function = _with_empty_lists(function, mode.unbound_rows)
    plans.body.plans = [
        p for p in plans.body.plans if not isinstance(p.statement, ir.Return)
    ]
    mode.state = dict(plans.cotangents)
    gradients = []
    spec.span = None
    final: list[tuple[str, ir.Block]] = []
    of_results = mode.adjoints_of_results(result) if adjoints_given else ()
    for name in wrt:
        if mode.bar(name).name in given:
            continue
        found, parts = _gradient_of(specialised.arguments[name], mode, as_given)
        gradients.append(found)
        if name in spec.retained:
            lines = [line for _, part in parts for line in part]
            _put_where_retained(lines, name, plans.body)
        else:
            final += parts
    _put_at_entry(final, plans.body, specialised)

    costs = Costs(mode.kind, prices)
    checkpoints.outline(plans.body, mode, costs, recompute)
    spec.raise_problems()
    forward = ir.forward_statements(plans.body)
    if at_once:
        costs.settled = settled_reads(forward)
    assembled = assemble(
        plans.body,
        forward,
        function.parameters,
        costs,
        recompute,
        None if value else frozenset(),
    )
    ahead = inlined_forward(assembled.forward, function.parameters)
    if isinstance(result, ir.Var):
        kept = spec.fresh("value")
        ahead = (*ahead, ir.Assign(last.span, kept, result, mode.kind(result.name)))
        result = kept
    else:
        copies, result = _kept_apart(result, assembled.reverse, mode)
        ahead = (*ahead, *copies)
    whole = replace(
        function,
        body=ahead,
        kinds=dict(mode.function.kinds),
        temporaries=frozenset(function.temporaries | spec.temporaries),
    )
    stacks = [
        ir.Assign(None, ir.Var(name), ir.Apply(ops.new_stack, ()))
        for name in ir.in_order(mode.stacks)
    ]
    back: ir.Block = (*seed_lines, *stacks, *inlined(assembled.reverse))
    if spec.options.results_at_hand:
        back = reading_results_at_hand(whole, back)
    marks = {name: c.masked for name, c in plans.cotangents.items()}
    return Sweeps(whole, back, result, tuple(gradients), marks, of_results)


def _kept_apart(
    result: ir.Operand, reverse: ir.Block, mode: ReverseMode
) -> tuple[ir.Block, ir.Operand]:
    """Lines that copy those of several results that the reverse sweep overwrites with
    earlier values, and the results."""
    overwritten = ir.names_written_in(reverse)
    lines: list[ir.Statement] = []

    def kept(variable: ir.Var) -> ir.Var:
        if variable.name not in overwritten:
            return variable
        copy = mode.spec.fresh(variable.name.split(".")[0] or "result")
        lines.append(ir.Assign(None, copy, variable, mode.kind(variable.name)))
        return copy

    result = ir.map_operand(result, kept)
    return tuple(lines), result


def _with_tests_apart(function: ir.Function, spec: Specialiser) -> ir.Function:
    """The function with a variable of its own for what a branch tests and changes, as
    the flags are that a reverse sweep puts back: the reverse tests it behind that."""
    kinds = dict(function.kinds)

    def apart(s: ir.Statement) -> ir.Block:
        s = ir.with_blocks(s, lambda block: _each(block, apart))
        if not isinstance(s, ir.If) or not isinstance(s.test, ir.Var):
            return (s,)
        if s.test.name not in ir.names_written_within(s):
            return (s,)
        own = spec.fresh("condition")
        kind = kinds[own.name] = kinds.get(s.test.name, ir.BOOL)
        return ir.Assign(s.span, own, s.test, kind), replace(s, test=own)

    body = _each(function.body, apart)
    if len(kinds) == len(function.kinds):
        return function
    return replace(function, body=body, kinds=kinds)


def _each(block: ir.Block, changed: Callable[[ir.Statement], ir.Block]) -> ir.Block:
    return tuple(own for s in block for own in changed(s))


def _with_results_apart(function: ir.Function, spec: Specialiser) -> ir.Function:
    """The function with a variable for each result: one that is returned twice has two
    cotangents. That of a reference is added where the variable gets it."""
    last = function.body[-1]
    assert isinstance(last, ir.Return)
    lines: list[ir.Statement] = []
    kinds = dict(function.kinds)
    seen: set[str] = set()

    def apart(variable: ir.Var) -> ir.Var:
        reference = ir.is_of_references(kinds.get(variable.name))
        if variable.name not in seen and not reference:
            seen.add(variable.name)
            return variable
        again = spec.fresh(variable.name.split(".")[0] or "result")
        kind = kinds[again.name] = kinds[variable.name]
        lines.append(ir.Assign(last.span, again, variable, kind))
        return again

    value = ir.map_operand(last.value, apart)
    if not lines:
        return function
    body = (*function.body[:-1], *lines, replace(last, value=value))
    temporaries = function.temporaries | {str(line.target) for line in lines}  # type: ignore[attr-defined]
    return replace(function, body=body, kinds=kinds, temporaries=temporaries)


def _with_empty_lists(function: ir.Function, names: set[str]) -> ir.Function:
    """The function with lists that some paths don't bind, as empty ones until they are
    bound."""
    start = [
        ir.Assign(
            None, ir.Var(name), ir.Apply(ops.new_list, ()), replace(kind, item=None)
        )
        for name in sorted(names)
        if isinstance(kind := function.kinds[name], ir.List)
    ]
    return replace(function, body=(*start, *function.body))


def _active_in(
    function: ir.Function, independents: Sequence[str], spec: Specialiser, called: bool
) -> set[str]:
    matters = may_matter(function, spec)
    return active_in(function, independents, matters, called=called)


def _with_items(
    function: ir.Function, specialised: Specialised, independents: Sequence[str]
) -> ir.Function:
    """The function with the items of arguments that it doesn't read: their gradients
    are zeros of their shape."""
    known = {v.name for s in function.body for v in ir.direct_writes(s)}
    missing = set(independents) - known - set(function.parameters)
    wanted: list[ir.Statement] = []
    first: dict[str, ir.Statement] = {}
    """A name may be bound again, to what isn't the argument's."""
    for statement in specialised.function.body:
        for variable in ir.direct_writes(statement):
            first.setdefault(variable.name, statement)
    for statement in reversed(specialised.function.body):
        target = getattr(statement, "target", None)
        name = getattr(target, "name", "")
        if name in missing and statement is first[name]:
            wanted.insert(0, statement)
            missing |= ir.names_read(statement) - known
    body = list(function.body)
    for place, statement in enumerate(wanted):
        holders = ir.names_read(statement)
        behind = [k + 1 for k, s in enumerate(body) if holders & ir.names_written(s)]
        body.insert(behind[0] if behind else place, statement)
    return replace(function, body=_with_items_first(tuple(body), set(independents)))


def _with_items_first(body: ir.Block, items: set[str]) -> ir.Block:
    """The block with the items of arguments read in front of lines that use some of
    them: what is done with the gradients stands where the last is read."""
    targets = [s.target if isinstance(s, ir.Assign) else None for s in body]
    names = [t.name if isinstance(t, ir.Var) else "" for t in targets]
    last = max((k for k, name in enumerate(names) if name in items), default=0)
    moved: list[int] = []
    needed = set(items)
    for k in reversed(range(last + 1)):
        if names[k] in needed:
            moved.insert(0, k)
            needed |= ir.names_read(body[k])
    between = set(range(last)) - set(moved)
    if not any(names[k] and items & ir.names_read(body[k]) for k in between):
        return body
    others = [s for k, s in enumerate(body) if k not in set(moved)]
    return (*(body[k] for k in moved), *others)


def _put_where_retained(
    lines: Sequence[ir.Statement], name: str, body: ir.BlockPlan
) -> None:
    """Put lines where a local variable has been assigned: they read it."""
    for plan in body.plans:
        value = getattr(plan.statement, "value", None)
        if is_retained(value) and value.args[1] == ir.Const(name):  # type: ignore[union-attr]
            plan.reverse = (*lines, *plan.reverse)
            return
    raise AssertionError(f"{name} isn't assigned")


def _gradient_of(
    argument: core.Value, mode: ReverseMode, as_given: bool
) -> tuple[core.Value, list[tuple[str, ir.Block]]]:
    """The gradient by an argument, and the lines for each of its parts."""
    parts: list[tuple[str, ir.Block]] = []

    def of_leaf(leaf: core.Leaf) -> core.Leaf:
        with mode.spec.new_block() as lines:
            found = _gradient_leaf(leaf, mode, as_given)
        parts.append((str(leaf.operand), tuple(lines)))
        return found

    return core.map_leaves(argument, of_leaf), parts


def _put_at_entry(
    final: Sequence[tuple[str, ir.Block]], body: ir.BlockPlan, specialised: Specialised
) -> None:
    """Put lines, those of each part of the arguments with its name, where these have
    just been taken apart: they read the items. Where something is still added to the
    adjoint of a part there, they come where that part is taken."""
    parameters = set(specialised.function.parameters)
    items = {
        leaf.operand.name
        for name, value in specialised.arguments.items()
        if name not in specialised.specialiser.retained
        for leaf in core.leaves(value)
        if isinstance(leaf.operand, ir.Var)
    }
    items |= {
        v.name
        for _, lines in final
        for line in lines
        for operation in ir.operations(line)
        if operation.function in (as_structure, ops.read_item)
        for v in ir.value_variables(operation)
    }
    taken: dict[str, int] = {}
    for place, plan in enumerate(body.plans):
        target = getattr(plan.statement, "target", None)
        if isinstance(plan.statement, ir.Assign) and isinstance(target, ir.Var):
            if target.name in items - parameters:
                taken.setdefault(target.name, place)
    last = max(taken.values(), default=-1)
    later = {
        name
        for plan in body.plans[: max(last, 0)]
        for name in ir.names_written_in(plan.reverse)
    }
    ahead: dict[int, list[ir.Statement]] = {}
    for name, lines in final:
        whole = later.isdisjoint(ir.names_read_in(lines))
        ahead.setdefault(last if whole else taken.get(name, -1), []).extend(lines)
    for place, lines_there in ahead.items():
        if place < 0:
            body.entry = (*lines_there, *body.entry)
        else:
            plan = body.plans[place]
            plan.reverse = (*lines_there, *plan.reverse)


def _result_leaves(result: ir.Operand) -> list[ir.Var]:

    return list(ir.operand_variables(result))


def _structure_seeds(
    result: ir.Operand, seed: core.Value, mode: ReverseMode
) -> dict[str, ir.Operand]:
    """The seeds of results that are references."""
    return {
        name: leaf.operand
        for name, leaf in _by_variable(result, seed)
        if ir.is_of_references(mode.kind(name)) and name in mode.active
        if leaf.operand != ir.Const(None)
    }


def _seeds(
    result: ir.Operand, seed: core.Value, mode: ReverseMode, whole: bool
) -> dict[str, Cotangent]:
    """The cotangents of the result's variables: one seed each, in the structure of the
    result. ``whole``: those of lists have an item for each of theirs."""
    found: dict[str, Cotangent] = {}
    for name, leaf in _by_variable(result, seed):
        if ir.is_of_references(mode.kind(name)):
            continue  # its numbers are read by others
        if name in mode.active and leaf.operand != ir.Const(None):
            assert name not in found
            of_list = isinstance(mode.kind(name), ir.List)
            found[name] = Cotangent(leaf, full=whole and of_list)
    return found


def _by_variable(
    operand: ir.Operand, value: core.Value
) -> Iterator[tuple[str, core.Leaf]]:
    """The variables of an operand, each with what a value of its structure holds in its
    place."""
    if isinstance(operand, ir.Var) and isinstance(value, core.Leaf):
        yield operand.name, value
    elif isinstance(operand, ir.Pack) and isinstance(value, core.Aggregate):
        for item, part in zip(operand.items, value.items, strict=True):
            yield from _by_variable(item, part)


def _gradient_leaf(leaf: core.Leaf, mode: ReverseMode, as_given: bool) -> core.Leaf:
    """The gradient with respect to one number, array or list: full shape, own memory,
    the dtype of the argument. None where there is nothing to differentiate."""

    if not isinstance(leaf.operand, ir.Var) or not ir.is_real_number_kind(leaf.kind):
        return core.Leaf(ir.Const(None), leaf.kind)
    if isinstance(leaf.kind, ir.Reference):
        return mode.gradient_of_reference(leaf)
    if ir.is_of_references(leaf.kind):
        raise core.Unsupported(
            "inside of a function the gradient is taken with respect to a list of "
            "objects that the function makes or changes",
            "take it with respect to a list that is given, or to its objects",
        )
    if as_given and isinstance(leaf.kind, ir.List):
        return _gradient_of_list(leaf, mode)
    name = leaf.operand.name
    cotangent = mode.state.get(name)
    target = mode.bar(name)
    kind = mode.full_kind(name)
    if mode.spec.options.static and isinstance(kind, ir.Unknown):
        given = ir.Const(0.0) if cotangent is None else cotangent.value.operand
        like = ir.Apply(gradient_like, (given, ir.Var(mode.shape_source(name))))
        mode.spec.assign(target, like, kind)
        return core.Leaf(target, kind)
    if cotangent is None:
        mode.assign_zero(name)
        return core.Leaf(target, kind)
    value = cotangent.value
    if ir.is_promoted(kind) and ir.axes_of(leaf.kind) == ():
        value = mode.of_number(value)
        mode.move(value, target)
        value = core.Leaf(target, value.kind)
    elif isinstance(kind, ir.Array) and ir.axes_of(kind) is not None:
        whole = cotangent.full or mode.is_full(value.kind, kind)
        whole = whole and not isinstance(value.kind, ir.Scalar)
        function: Any = ops.own_copy if whole else ops.full_like_of
        args: tuple[ir.Operand, ...] = (value.operand,)
        made = replace(kind, dtype=_dtype(value))
        if ir.axes_of(kind) == ():  # NumPy's results without axes are numbers
            function = np.array
            if kind.dtype and (kind.dtype, made.dtype) != ("float64", "float64"):
                args, made = (*args, ir.Const(np.dtype(kind.dtype).type)), kind
        elif function is ops.full_like_of:
            args = (value.operand, ir.Var(mode.shape_source(name)))
        mode.spec.assign(target, ir.Apply(function, args), made)
        value = core.Leaf(target, made)
    elif not isinstance(kind, ir.Scalar | ir.NumPyScalar):
        mode.fill(name, cotangent)  # makes a copy where the rank isn't known
        value = core.Leaf(target, kind)
    elif isinstance(value.kind, ir.Array) and ir.axes_of(value.kind) == ():
        number = ir.NumPyScalar(value.kind.dtype)
        mode.spec.assign(
            target, ir.Apply(operator.getitem, (value.operand, ir.pack_tuple())), number
        )
        value = core.Leaf(target, number)
    return _cast(value, leaf.kind, target, mode)


def _gradient_of_list(leaf: core.Leaf, mode: ReverseMode) -> core.Leaf:
    """The gradient as a list or tuple like the argument."""
    assert isinstance(leaf.operand, ir.Var)
    name = leaf.operand.name
    cotangent = mode.state.get(name)
    if cotangent is None:
        mode.assign_zero(name)
        found = mode.full_kind(name)
    else:
        found = mode.fill(name, cotangent)
    like = core.Leaf(ir.Var(mode.shape_source(name)), leaf.kind)
    bar = core.Leaf(mode.bar(name), found)
    return gradients_of_lists.in_form_of(
        mode.spec, bar, like, own=cotangent is not None
    )


def _dtype(value: core.Leaf) -> str | None:
    return getattr(value.kind, "dtype", None) or (
        "float64" if isinstance(value.kind, ir.Scalar) else None
    )


def _cast(
    value: core.Leaf, kind: ir.Kind, target: ir.Var, mode: ReverseMode
) -> core.Leaf:
    """The dtype of the argument, where the adjoint was computed through another."""
    if isinstance(value.kind, ir.Scalar) and value.kind.cls is not None:
        mode.spec.assign(target, ir.Apply(float, (value.operand,)), ir.FLOAT)
        return core.Leaf(target, ir.FLOAT)
    wanted = getattr(kind, "dtype", None)
    merged = not ir.is_complex(value.kind) or mode.merges_numbers
    if isinstance(kind, ir.Scalar) and ir.is_complex(kind) and merged:
        mode.spec.assign(target, ir.Apply(complex, (value.operand,)), ir.COMPLEX)
        return core.Leaf(target, ir.COMPLEX)
    if wanted is None or isinstance(kind, ir.Scalar):
        return value
    usual = (
        ("float64",) if isinstance(kind, ir.NumPyScalar) else ("float64", "complex128")
    )
    mixed = mode.mixes_precisions or mode.joins_precisions
    loose = wanted not in usual and (mode.merges_numbers or mixed)
    if _dtype(value) == wanted and not loose:
        return value
    if isinstance(value.kind, ir.Scalar) and isinstance(kind, ir.Array):
        return value
    if isinstance(kind, ir.NumPyScalar):
        cast = ir.Apply(np.dtype(wanted).type, (value.operand,))
    else:
        operands = value.operand, ir.Const(np.dtype(wanted).type)
        if loose:  # it may be of that dtype as it is
            cast = ir.Apply(np.asarray, operands)
        else:
            cast = ir.Apply(np.ndarray.astype, operands, (), "method:astype")
    mode.spec.assign(target, cast, kind)
    return core.Leaf(target, kind)


def with_number_checked(sweeps: Sweeps, kind: ir.Kind, place: int = 0) -> Sweeps:
    """The sweeps with a check of the result, or of the one at a place, where its kind
    doesn't tell that it is a number."""
    if ir.rank_of(kind) == 0:
        return sweeps
    result = sweeps.result
    if isinstance(result, ir.Pack):
        result = result.items[place]
    check = ir.Effect(None, ir.Apply(require_number, (result,)))
    function = replace(sweeps.function, body=(*sweeps.function.body, check))
    return replace(sweeps, function=function)


def gradient_function(
    sweeps: Sweeps,
    *,
    single: bool,
    value: bool,
    parameters: tuple[str, ...],
    has_aux: bool = False,
) -> ir.Function:
    """One function that runs both sweeps and returns the gradients, behind the value or
    before what the function returns beside it (``has_aux``)."""

    parts = [core.operand_of(g) for g in sweeps.gradients]
    gradients: ir.Operand = (
        parts[0] if single else ir.Pack(tuple, tuple(range(len(parts))), tuple(parts))
    )
    result: ir.Operand = gradients
    if value:
        result = ir.Pack(tuple, (0, 1), (sweeps.result, gradients))
    elif has_aux:
        assert isinstance(sweeps.result, ir.Pack)
        result = ir.Pack(tuple, (0, 1), (gradients, sweeps.result.items[1]))
    body = (*sweeps.function.body, *sweeps.reverse, ir.Return(None, result))
    unbound = _lists_that_may_be_unbound(sweeps, parameters)
    start = (ir.Assign(None, ir.Var(name), ir.Const(None)) for name in unbound)
    return replace(sweeps.function, parameters=parameters, body=(*start, *body))


def _lists_that_may_be_unbound(
    sweeps: Sweeps, parameters: tuple[str, ...]
) -> list[str]:
    """Lists that tell how long a cotangent is, and that some path doesn't bind: None
    says so there."""
    measured = {
        a.args[1].name
        for s in ir.walk(sweeps.reverse)
        for a in ir.operations(s)
        if a.function is broadcast_along_items and isinstance(a.args[1], ir.Var)
    }
    written = ir.names_written_in(sweeps.function.body)
    if not measured & written:
        return []
    bound = assigned_on_every_path(sweeps.function.body, parameters)
    return ir.in_order((measured & written) - bound)
