"""The cotangents that calls give to a reverse program: those that some call has.

::

    a, b = f(x)         f_reverse(residuals, (a_bar, np.zeros_like(b)))
    y = sin(a)    ->    f_reverse(residuals, a_bar)

While programs are made each call gives all, zeros for those that it hasn't. What no
call has at last isn't handed over: zeros are computed for nothing, and times an
infinite partial they are nan. The reverse program takes those of several results apart
in one line, under the results' names::

    gradient_0 = gradient[0]                     x_bar, v_bar = gradient
    gradient_1 = gradient[1]              ->
    v_bar = gradient_1
    total_bar = h * gradient_1                   total_bar = h * v_bar
    x_bar = gradient_0

Only the programs of a pair know what the one gives and the other takes, so this is done
last.
"""

import itertools
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.programs.primal_programs import Specialised
from s2sad.transform.reverse.split import seed_of


def joined(mark: Masked | None, other: Masked | None) -> Masked | None:
    """How a cotangent is marked that one call gives so, and another one so; None where
    neither has one."""
    if mark is None and other is None:
        return None
    return max(mark_of_seed(mark), mark_of_seed(other))


def mark_of_seed(mark: Masked | None) -> Masked:
    """A call that has no cotangent gives zeros."""
    return Masked.SELECTED if mark is None else mark


def seed_of_pair(
    name: str, specialised: Specialised, seeds: tuple[Masked | None, ...]
) -> tuple[core.Value, ir.Kind, ir.Block]:
    """The cotangents of the results as a value, constant None for those that no call
    has; the kind of the parameter that gives the others, and the lines that take it
    apart."""
    result = specialised.result
    parts = result.items if isinstance(result, core.Aggregate) else (result,)
    taken: list[core.Value] = [
        core.map_leaves(part, lambda leaf: replace(leaf, kind=ir.given_kind(leaf.kind)))
        for part, seed in zip(parts, seeds, strict=True)
        if seed is not None
    ]
    whole = taken[0] if len(taken) == 1 else core.aggregate_of(tuple(taken))
    kind = core.kind_of(whole)
    value, lines = seed_of(name, replace(specialised, result=whole), given=False)
    if len(taken) < len(parts):
        found = iter(value.items if isinstance(value, core.Aggregate) else (value,))
        none = core.constant(None)
        items = (none if seed is None else next(found) for seed in seeds)
        value = core.aggregate_of(tuple(items))
    return value, ir.cotangent_kind_of_list(kind) or kind, lines


def with_cotangents_taken(function: ir.Function) -> ir.Function:
    """The program with calls of reverse programs that give what these take; a reverse
    program that multiplies by partial derivatives stands where it is called."""
    program = ir.Rewriting(function)

    def change(s: ir.Statement) -> ir.Block:
        # a call that adds to adjoints alone is an effect
        if not isinstance(s, ir.Assign | ir.Effect) or not isinstance(
            s.value, ir.Apply
        ):
            return (s,)
        called = s.value.function
        if not isinstance(called, ir.Procedure):
            return (s,)
        if called.partials and isinstance(s, ir.Assign):
            if called.reverses is None:
                return (s,)
            forward, places = called.reverses
            names = forward.function.parameters
            return multiplied(s, tuple(names[place] for place in places), program)
        if all(called.seeded):
            return (s,)
        residuals, seed, *more = s.value.args
        seeds = seed.items if isinstance(seed, ir.Pack) else (seed,)
        if len(seeds) < len(called.seeded):
            return (s,)  # it gives no more already
        items = zip(seeds, called.seeded, strict=True)
        given = tuple(item for item, is_taken in items if is_taken)
        whole = ir.packed(given)
        return (replace(s, value=replace(s.value, args=(residuals, whole, *more))),)

    body = ir.with_leaves(function.body, change)
    return _with_results_taken(program.finished(body))


def multiplied(
    call: ir.Assign, active: tuple[str, ...], program: ir.Rewriting
) -> ir.Block:
    """In place of the call of a reverse program that is given partial derivatives by
    some parameters: the cotangent times each of them."""
    assert isinstance(call.value, ir.Apply)
    given, seed = call.value.args
    targets = ir.tuple_items(call.target)
    lines: list[ir.Statement] = []
    by: list[ir.Operand] = [given]
    kind = kind_of_partials(len(targets))
    if isinstance(given, ir.Var):
        program.kinds[given.name] = kind
    if len(targets) > 1:
        by = [program.named(f"by_{name}", ir.FLOAT) for name in active]
        lines.append(ir.Assign(call.span, ir.pack_tuple(*by), given, kind, True))
    own = [program.kinds.get(str(target), ir.FLOAT) for target in targets]
    products = zip(targets, by, own, strict=True)
    # the call reads the cotangent before it binds any of the adjoints
    for target, partial, kind in sorted(products, key=lambda one: one[0] == seed):
        assert isinstance(target, ir.Var)
        product = ir.Apply(operator.mul, (seed, partial))
        lines.append(ir.Assign(call.span, target, product, kind, True))
    return tuple(lines)


def kind_of_partials(count: int) -> ir.Kind:
    """The kind of the partial derivatives by so many parameters; of none it is that of
    other residuals."""
    if not count:
        return ir.OPAQUE
    return ir.FLOAT if count == 1 else ir.tuple_of_kinds([ir.FLOAT] * count)


def _with_results_taken(function: ir.Function) -> ir.Function:
    """The program with a name for each result of a call that gives partial derivatives
    beside a value::

        called = f_value_and_grad(x)
        y = called[0]                    ->     y, partial = f_value_and_grad(x)
        partial = called[1]

    One that is read elsewhere is a variable that is copied there.
    """
    calls: set[str] = set()
    others: set[str] = set()
    for s in ir.walk(function.body):
        if _gives_partials(s):
            calls |= ir.names_written(s)
            continue
        others |= ir.names_written(s)
        if _item_of(s) is None:
            others |= ir.names_read(s)
    calls -= others  # these are kept as a whole
    if not calls:
        return function
    program = ir.Rewriting(function)
    taken: dict[tuple[int, int], ir.Assign] = {}
    _note_taken(function.body, ir.uses_in(function.body).reads, taken)
    lines = {id(line) for line in taken.values()}
    apart = {
        _item_of(s)
        for s in ir.walk(function.body)
        if _item_of(s) is not None and id(s) not in lines
    }

    def change(s: ir.Statement) -> ir.Block:
        item = _item_of(s)
        if item is not None and item[0] in calls:
            name, place = item
            if item not in apart:
                return ()
            assert isinstance(s, ir.Assign)
            return (replace(s, value=ir.Var(f"{name}.{place}")),)
        if not _gives_partials(s) or calls.isdisjoint(ir.names_written(s)):
            return (s,)
        assert isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)
        name, count = s.target.name, s.value.function.partials  # type: ignore[union-attr]
        assert isinstance(s.kind, ir.Structure)
        kinds = s.kind.items[0], kind_of_partials(count)
        targets: list[ir.Var] = []
        for place, kind in enumerate(kinds):
            line = taken.get((id(s), place))
            target = ir.Var(f"{name}.{place}")
            if line is not None and (name, place) not in apart:
                target = line.target  # type: ignore[assignment]
            else:
                program.temporaries.add(target.name)
            program.kinds[target.name] = kind
            targets.append(target)
        whole = ir.pack_tuple(*targets)
        return (replace(s, target=whole, kind=ir.tuple_of_kinds(kinds)),)

    return program.finished(ir.with_leaves(function.body, change))


def _gives_partials(s: ir.Statement) -> bool:
    """True for a call that gives partial derivatives, as a whole; also where it turned
    out later that its pair needs other residuals."""
    called = s.value.function if ir.applies(s) else None
    return (
        isinstance(called, ir.Procedure)
        and (called.partials > 0 or called.returns_residuals)
        and called.reverses is None
        and isinstance(s.target, ir.Var)  # type: ignore[attr-defined]
    )


def _item_of(s: ir.Statement) -> tuple[str, int] | None:
    """The name of a tuple and the place in it that a line reads."""
    if not ir.is_line(s, operator.getitem):
        return None
    whole, place = s.value.args
    if not isinstance(whole, ir.Var) or not isinstance(place, ir.Const):
        return None
    return whole.name, place.value


def _note_taken(
    block: ir.Block,
    readers: Mapping[str, int],
    taken: dict[tuple[int, int], ir.Assign],
) -> None:
    """Note, for calls and places of their results, the lines behind them that may stand
    in front of all between. ``readers`` are how many lines read a tuple."""
    for start, call in enumerate(block):
        for inner in ir.blocks_of(call):
            _note_taken(inner, readers, taken)
        if not _gives_partials(call):
            continue
        between: set[str] = set()
        left = readers[call.target.name]  # type: ignore[attr-defined]
        for s in itertools.islice(block, start + 1, None):
            if not left:
                break
            item = _item_of(s)
            if item is not None and ir.Var(item[0]) == call.target:  # type: ignore[attr-defined]
                left -= 1
                if between.isdisjoint(ir.names_written(s)):
                    taken.setdefault((id(call), item[1]), s)  # type: ignore[arg-type]
            between |= ir.names_read_within(s) | ir.names_written_within(s)


def with_cotangents_unpacked(
    programs: Mapping[ir.Procedure, ir.Function],
) -> dict[ir.Procedure, ir.Function]:
    """The programs of a derivative, with cotangents taken apart in reverse programs."""
    changed = dict(programs)
    for procedure in programs:
        if procedure.reverses is not None and procedure.reverses[0] in programs:
            results = _results(programs[procedure.reverses[0]])
            results = list(itertools.compress(results, procedure.seeded))
            if len(results) > 1:
                changed[procedure] = _changed(programs[procedure], results)
    return changed


def without_empty_results(
    functions: Sequence[ir.Function], programs: Mapping[ir.Procedure, ir.Function]
) -> tuple[list[ir.Function], dict[ir.Procedure, ir.Function]]:
    """The functions and the programs that they call, where of a procedure that returns
    nothing the forward program returns the residuals alone, and the reverse program
    takes no cotangent where no call has one::

        (residuals,) = f_forward(p)             residuals = f_forward(p)
        f_reverse(residuals, ())        ->      f_reverse(residuals)
    """
    reverse = {
        p
        for p, program in programs.items()
        if p.reverses is not None and not any(p.seeded)
        if program.parameters[1] not in ir.names_read_in(program.body)
    }
    forward = {
        p
        for p, program in programs.items()
        if p.returns_residuals and _single(program.body[-1])
    }

    def change(s: ir.Statement) -> ir.Block:
        if not isinstance(s, ir.Assign | ir.Effect) or not isinstance(
            s.value, ir.Apply
        ):
            return (s,)
        called = s.value.function
        if called in forward and isinstance(s, ir.Assign):
            assert isinstance(s.target, ir.Pack)
            (residuals,) = s.target.items
            assert isinstance(residuals, ir.Var)
            return (replace(s, target=residuals, kind=ir.OPAQUE),)
        if called in reverse:
            first, _, *others = s.value.args
            return (replace(s, value=replace(s.value, args=(first, *others))),)
        return (s,)

    def changed(function: ir.Function) -> ir.Function:
        return replace(function, body=ir.with_leaves(function.body, change))

    if not reverse | forward:
        return list(functions), dict(programs)
    made = {p: changed(program) for p, program in programs.items()}
    for p in reverse:
        first, _, *others = made[p].parameters
        made[p] = replace(made[p], parameters=(first, *others))
    for p in forward:
        *body, last = made[p].body
        assert isinstance(last, ir.Return) and isinstance(last.value, ir.Pack)
        final = replace(last, value=last.value.items[0])
        made[p] = replace(made[p], body=(*body, final))
    return list(map(changed, functions)), made


def _single(last: ir.Statement) -> bool:
    assert isinstance(last, ir.Return)
    return isinstance(last.value, ir.Pack) and len(last.value.items) == 1


def _results(forward: ir.Function) -> list[str | None]:
    """What a forward program returns, but for the residuals: the user's names."""
    last = forward.final
    items = last.value.items[:-1] if isinstance(last.value, ir.Pack) else ()
    names = [item.name if isinstance(item, ir.Var) else "." for item in items]
    derived = forward.temporaries
    return [None if "." in n or n in derived else _stem(n) for n in names]


def _stem(name: str) -> str:
    return re.sub(r"~\d+", "", name)


def _changed(reverse: ir.Function, results: Sequence[str | None]) -> ir.Function:
    """The program with one line for the cotangents of these results, if it reads items
    of them alone."""
    residuals, seed, *_ = reverse.parameters
    uses = ir.uses_in(reverse.body)
    items = {
        s.value.args[1].value: s
        for s in reverse.body
        if ir.is_line(s, operator.getitem)
        and s.value.args[0] == ir.Var(seed)
        and isinstance(s.value.args[1], ir.Const)
        and uses.writes[s.target.name] == 1
    }
    if not items or len(items) != uses.reads[seed]:
        return reverse
    program = ir.Rewriting(reverse)
    lines = [s for s in reverse.body if s not in items.values()]
    targets: list[ir.Var] = []
    for place, result in enumerate(results):
        line = items.get(place)
        if line is None:
            targets.append(program.fresh(f"{seed}_{place}"))
        else:
            wish = None if result is None else f"{result}.bar"
            target = _renamed(lines, line.target, wish, targets, program)
            targets.append(target)
    first = lines[0]
    behind = isinstance(first, ir.Assign) and first.value == ir.Var(residuals)
    unpack = ir.Assign(None, ir.pack_tuple(*targets), ir.Var(seed))
    lines.insert(int(behind), unpack)
    return program.finished(tuple(lines))


def _renamed(
    lines: list[ir.Statement],
    own: ir.Var,
    wish: str | None,
    taken: list[ir.Var],
    program: ir.Rewriting,
) -> ir.Var:
    """A cotangent under the name of its copy, if there is one, else under that which it
    wishes."""
    place = _place_of_copy(lines, own, wish, taken, program)
    if place is not None:
        copy = lines.pop(place)
        assert isinstance(copy, ir.Assign) and isinstance(copy.target, ir.Var)
        target = copy.target
    elif wish is not None:
        target = program.named(wish, program.kinds.get(own.name))
    else:
        return own
    lines[:] = ir.renamed(tuple(lines), lambda v: target if v == own else v)
    return target


def _place_of_copy(
    lines: list[ir.Statement],
    own: ir.Var,
    wish: str | None,
    taken: list[ir.Var],
    program: ir.Rewriting,
) -> int | None:
    """Where a variable that isn't there before repeats a cotangent, which nobody reads
    after that has changed."""
    kind = program.kinds.get(own.name)
    for place, s in enumerate(lines):
        if not isinstance(s, ir.Assign) or s.value != own or s.target in taken:
            continue
        name, ahead = str(s.target), lines[:place]
        if wish not in (None, _stem(name)) or program.kinds.get(name) != kind:
            continue
        if name in ir.names_read_in(ahead) | ir.names_written_in(ahead):
            continue
        changed = (
            (k, isinstance(later, ir.COMPOUND))
            for k, later in enumerate(lines)
            if k > place and name in ir.names_written_within(later)
        )
        first, compound = next(changed, (len(lines), False))
        read = [k for k, s in enumerate(lines) if own.name in ir.names_read_within(s)]
        if max(read) < first + (not compound):
            return place
    return None
