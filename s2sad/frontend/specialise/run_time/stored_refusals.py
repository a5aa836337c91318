"""What is refused of programs that store into run-time values."""

import operator
from collections import deque
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.memory.memory import SLOTS
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.passes import all_kinds, purity
from s2sad.analysis.reverse.activity import may_store
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import queries, storing
from s2sad.frontend.specialise.run_time.storing import (
    ADVICE,
    leads_to_stored,
    names_of_stored,
)
from s2sad.ops.runtime import results
from s2sad.ops.runtime.structures import (
    as_structure,
    own_structure,
    own_structures,
    tangent_copy,
    working_copy,
    zeros_of_structure,
)
from s2sad.source.annotations.annotation_nodes import holds_name
from s2sad.source.kinds import attributes

_FOLLOWED = (
    *(ops.read_item, ops.read_attribute, ops.items_of, *ops.READS_OF_STORED),
    *(*ops.STORES_INTO_SLOTS, *ops.MOVE_REFERENCES, working_copy, results.require_item),
    *(results.require_attribute, results.require_names, hasattr, *ops.ASKS_WHAT_IT_HAS),
    *(id, type, getattr, operator.getitem, ops.evaluated, ops.index_of_first),
    # in a gradient that is differentiated again
    *(zeros_of_structure, as_structure, tangent_copy, *ops.CHANGES_ADJOINTS),
    *(own_structure, own_structures),
)
"""What may be given an object into which the program stores."""
_CHECKS = (
    *(
        results.require_unshared,
        results.require_outside_itself,
        results.require_distinct,
        results.require_told_apart,
    ),
    results.require_apart,
    results.require_two_arrays,
    results.require_different_arrays,
)
_SIZING = (len, bool, list, operator.not_, ops.contains, ops.items_of)
"""What gives something else where a list has other items."""
_READ_KEYS = (list, set, frozenset, results.require_arguments)
"""What looks at the keys of a dict alone."""
_COMPARING = (
    *(operator.eq, operator.ne, operator.indexOf, operator.countOf, ops.contains),
    ops.index_of_first,
)
"""What reads it where its class defines ``==``."""
_TAKES_AS_KEY = (*(ops.set_of_members, ops.change_members),)
"""What takes it as a key: it reads nothing of what is equal to itself alone."""


def refuse_unfollowed(spec: Specialiser, function: ir.Function) -> None:
    """Raise UnsupportedError where a program that stores into what it was given does
    something else with it that isn't followed."""
    body = function.body
    note_written_arrays(spec, [ir.Function("", (), body, {})])
    if not spec.facts.stored and not spec.facts.sets_change:
        return
    _note_resizing(spec, body)
    of_objects = (read for read in spec.module.reads if not _is_of_class(read))
    if any(read.attributes[-1:] in _names(spec) for read in of_objects):
        spec.report_at(_outside(), None)
    for block, given in _blocks(function):
        kinds = {**given, **_kinds(block)}
        made = _sets_made(spec, block, kinds)
        with_copies = _sets_of_copies(spec, block, kinds)
        for s in ir.walk(block):
            if isinstance(s, ir.If | ir.While) and _asks_itself(spec, s.test, kinds):
                spec.report_at(_asked(), s.span)
            for operation in ir.operations(s):
                derived = getattr(s, "derived", False)
                problem = _unfollowed(spec, operation, kinds, derived)
                if problem is None and (
                    _looks_up_copy(spec, operation, kinds, made)
                    or _compares_copy(spec, operation, kinds, with_copies)
                ):
                    problem = _identity_of_copy()
                if problem is not None:
                    spec.report_at(problem, s.span)
            if _mentions_stored(spec, s):  # under another name it is changed as well
                spec.report_at(_outside(), s.span)
            if isinstance(s, ir.Assign):  # a name may stand for something else later
                kinds[s.target] = s.kind
    spec.raise_problems()


def _sets_made(
    spec: Specialiser, block: ir.Block, kinds: Mapping[ir.Operand, ir.Kind | None]
) -> set[ir.Operand]:
    """The sets that a program makes, and doesn't find in what it is given."""
    found: set[ir.Operand] = set()
    for s in ir.walk(block):
        if isinstance(s, ir.Assign) and isinstance(s.kind, ir.Members):
            holder = s.value.args[0] if isinstance(s.value, ir.Apply) else s.value
            if not _is_given(spec, kinds.get(holder)):
                found.add(s.target)
    return found


def _is_given(spec: Specialiser, kind: ir.Kind | None) -> bool:
    own = queries.forms_made(spec)
    return isinstance(kind, ir.Reference) and any(f not in own for f in kind.forms)


def _looks_up_copy(
    spec: Specialiser,
    operation: ir.Apply,
    kinds: Mapping[ir.Operand, ir.Kind | None],
    made: Set[ir.Operand],
) -> bool:
    """True where an object of which the derivative changes a copy is looked up, or put
    in, among the keys of a dict or the members of a set that is given: there stands
    what was copied."""
    args = operation.args
    if operation.function is ops.at_its_time:
        args = args[1:]
    held = [
        a
        for a in args
        if (isinstance(kinds.get(a), ir.Members) and a not in made)
        or (_is_dict(kinds.get(a)) and _is_given(spec, kinds.get(a)))
        or _holds_object(a)
    ]
    if not held or operation.function in ops.MAKES_OBJECTS:
        return False
    keys = args[1:2] if _is_dict(kinds.get(args[0])) else args
    return any(a not in held and _is_copied(spec, kinds.get(a)) for a in keys)


def _sets_of_copies(
    spec: Specialiser, block: ir.Block, kinds: Mapping[ir.Operand, ir.Kind | None]
) -> set[ir.Operand]:
    """The sets into which a program puts objects of which it changes copies."""
    found: set[ir.Operand] = set()
    for s in ir.walk(block):
        for operation in ir.operations(s):
            if any(_is_copied(spec, kinds.get(a)) for a in operation.args):
                if operation.function is ops.change_members:
                    found.add(operation.args[0])
                elif isinstance(s, ir.Assign) and isinstance(s.kind, ir.Members):
                    found.add(s.target)
    return found


def _compares_copy(
    spec: Specialiser,
    operation: ir.Apply,
    kinds: Mapping[ir.Operand, ir.Kind | None],
    with_copies: Set[ir.Operand],
) -> bool:
    """True where such a copy, or what holds some, is compared with what nobody has
    looked into, which may be what was copied."""
    args, function = operation.args, operation.function
    if function is ops.at_its_time:
        function, args = args[0].value, args[1:]  # type: ignore[union-attr]
    looks_up = function in _LOOKING_UP and _is_dict(kinds.get(args[0]))
    if not looks_up and function not in _BY_IDENTITY:
        return False
    if not any(isinstance(a, ir.Var) and kinds.get(a) == ir.OPAQUE for a in args):
        return False
    return any(a in with_copies or _holds_copies(spec, kinds.get(a)) for a in args)


_BY_IDENTITY = (
    *(operator.is_, operator.is_not, *_COMPARING),
    *(ops.stored_contains, ops.stored_index, ops.stored_count),
)
"""What compares objects, or looks for one among the items or keys of another value."""
_LOOKING_UP = (ops.stored_item, ops.read_item, ops.take_key, results.require_item)
"""What looks for a key of a dict."""


def _holds_copies(spec: Specialiser, kind: ir.Kind | None) -> bool:
    """True for such a copy, a list of some, and a dict of which they are keys."""
    if not isinstance(kind, ir.Reference | ir.List):
        return False
    held = [f.key for f in ir.forms_in(kind)] if _is_dict(kind) else [kind]
    forms = (form for one in held if one is not None for form in ir.forms_in(one))
    return any(_is_copied(spec, ir.Reference((form,))) for form in forms)


def _holds_object(operand: ir.Operand) -> bool:
    """True for an object that is told by its identity, and for several of them: keys of
    a dict that is taken apart."""
    if isinstance(operand, ir.Pack):
        return any(map(_holds_object, operand.items))
    value = operand.value if isinstance(operand, ir.Const) else None
    values = value if isinstance(value, tuple | frozenset) else (value,)
    return any(
        attributes.attributes_of(v) is not None and type(v).__hash__ is object.__hash__
        for v in values
    )


def _is_copied(spec: Specialiser, kind: ir.Kind | None) -> bool:
    """True for an object that is told from others by its identity, and is copied."""
    if not isinstance(kind, ir.Reference) or not _is_given(spec, kind):
        return False
    objects = (f.constructor for f in kind.forms if f.constructor not in _PLAIN)
    by_identity = any(
        not isinstance(cls, type) or cls.__hash__ is object.__hash__ for cls in objects
    )
    return by_identity and (
        leads_to_stored(spec, kind) or storing.leads_to_changed_sets(spec, kind)
    )


_PLAIN = (*ir.CONTAINERS, np.ndarray)


def _identity_of_copy() -> core.Unsupported:
    return core.Unsupported(
        "an object of which a derivative changes a copy is a key of a dict, or a "
        "member of a set, that is given: the copy isn't found there",
        "make the dict or set in the function, or keep what it holds in an attribute",
    )


def _note_resizing(spec: Specialiser, body: ir.Block) -> None:
    """Let it be known which functions change how many items a list has: a call of one
    that isn't complete doesn't tell."""
    called = filter(ir.is_complete, ir.all_procedures([body]))
    found = {p.span for p in called if purity.does(p, ops.RESIZES)}
    if not found <= spec.facts.resizing:
        resizing = spec.facts.resizing | found
        spec.learn(replace(spec.facts, resizing=resizing))
        raise core.Learned


def note_written_arrays(spec: Specialiser, functions: list[ir.Function]) -> None:
    """Let it be known that a function, or one that it calls, writes into arrays that
    stand in values which are kept."""
    if ops.WRITTEN_ARRAYS in spec.facts.stored:
        return
    called = filter(ir.is_complete, ir.all_procedures(f.body for f in functions))
    if any(map(_writes_into_slots, [*functions, *(p.function for p in called)])):
        stored = {**spec.facts.stored, ops.WRITTEN_ARRAYS: ir.UNKNOWN}
        spec.learn(replace(spec.facts, stored=stored))
        raise core.Learned


def _writes_into_slots(function: ir.Function) -> bool:
    writes = [s for s in ir.walk(function.body) if _written(s)]
    reads = (o.function for s in ir.walk(function.body) for o in ir.operations(s))
    if not writes or not any(f in ops.READS_OF_REFERENCES for f in reads):
        return False
    known = all_kinds.with_all_kinds(function)
    memory = points_to(known, apart=True, as_written=True)
    return any(SLOTS in memory.before(s).of(n) for s in writes for n in _written(s))


def refuse_written(spec: Specialiser, function: ir.Function) -> None:
    """Raise UnsupportedError where a program writes into arrays that cached functions
    read."""
    writes = [s for s in ir.walk(function.body) if _written(s)]
    if not spec.arrays_cached or not writes:
        return
    known = all_kinds.with_all_kinds(function)
    memory = points_to(known, apart=True, as_written=True).anywhere
    read = frozenset().union(*map(memory.of, spec.arrays_cached))
    for s in writes:
        if read.intersection(*map(memory.of, _written(s))):
            spec.report_at(_changed_below_a_cache(), s.span)
    spec.raise_problems()


def _changed_below_a_cache() -> core.Unsupported:
    return core.Unsupported(
        "this writes into an array that a cached function reads: what it gives depends "
        "on when it was called first",
        "pass the array to a function without a cache",
    )


def _written(s: ir.Statement) -> list[str]:
    """The arrays that a line writes into, or a procedure that it calls."""
    found = [s.target.name] if ops.is_write(s) else []
    for call in ir.operations(s):
        details = getattr(call.function, "details", None)
        if isinstance(call.function, ir.Procedure) and details is not None:
            names = [str(p.operand) for p in details.parameters]
            given = dict(zip(names, call.args, strict=True))
            found += [str(given[name]) for name in details.written]
    return found


def refuse_captured(
    spec: Specialiser, body: Iterable[ir.Statement], captured: Iterable[core.Value]
) -> None:
    """Raise Unsupported where a function of which a derivative is taken inside of
    another stores into what it captures: only its arguments are copied."""
    leads = any(
        leads_to_stored(spec, leaf.kind)
        for value in captured
        for leaf in core.leaves(value)
    )
    stores = (
        may_store(operation.function)
        for s in ir.walk(tuple(body))
        for operation in ir.operations(s)
    )
    if leads and any(stores):
        raise core.Unsupported(
            "a function of which a derivative is taken stores into an object that it "
            "captures",
            "pass the object to it",
        )


def _names(spec: Specialiser) -> set[tuple[str, ...]]:
    return {(name,) for name in spec.facts.stored if isinstance(name, str)}


def _is_of_class(read: core.Read) -> bool:
    """True for what a class holds: the program stores into none."""
    owner = read.resolver
    return isinstance(owner, core.LiveObject) and isinstance(owner.value, type)


def _blocks(
    whole: ir.Function,
) -> Iterable[tuple[ir.Block, dict[ir.Operand, ir.Kind | None]]]:
    """The blocks of a program, with the kinds of their parameters."""
    called = ir.all_procedures([whole.body])
    for function in (whole, *(p.function for p in called if ir.is_complete(p))):
        yield (
            function.body,
            {ir.Var(n): function.kinds.get(n) for n in function.parameters},
        )


def _kinds(block: ir.Block) -> dict[ir.Operand, ir.Kind | None]:
    kinds: dict[ir.Operand, ir.Kind | None] = {}
    for s in ir.walk(block):
        if isinstance(s, ir.Assign):
            kinds[s.target] = s.kind
    return kinds


def _asks_itself(
    spec: Specialiser, test: ir.Operand, kinds: Mapping[ir.Operand, ir.Kind | None]
) -> bool:
    """True for a test on what says itself whether it is true, by what may change."""
    kind = kinds.get(test)
    if not isinstance(kind, ir.Reference) or not leads_to_stored(spec, kind):
        return False
    named = (
        holds_name(form.constructor, name)
        for form in kind.forms
        for name in ("__bool__", "__len__")
        if form.constructor not in (list, tuple, dict, deque)
    )
    return any(named) or storing.is_resized(spec, kind)


def _asked() -> core.Unsupported:
    return core.Unsupported(
        "a test on what says itself whether it is true, by what the program changes",
        "compare a number with another: `if len(p.items) > 0`",
    )


def _outside() -> core.Unsupported:
    return core.Unsupported(
        "the program stores into what it is given, and reads the like of an object of "
        "the module, which may be one of them",
        "pass the object in",
    )


def _mentions_stored(spec: Specialiser, s: ir.Statement) -> bool:
    """True for a line that does more than check data of the module which may lead to
    what the program stores into."""
    if any(operation.function in _CHECKS for operation in ir.operations(s)):
        return False
    return any(
        leads_to_stored(spec, spec.module.kinds.get(operand))
        for operand in ir.all_operands(s)
        if isinstance(operand, ir.Global)
    )


def _unfollowed(
    spec: Specialiser,
    operation: ir.Apply,
    kinds: Mapping[ir.Operand, ir.Kind | None],
    derived: bool,
) -> core.Unsupported | None:
    """Why an operation on what may be stored into is refused; None if it isn't. That of
    a derivative inside, which is ``derived``, looks at structures alone."""
    function = operation.function
    if function in _CHECKS or function is ops.read_itself:
        return None
    if function in (ops.read_attribute, ops.read_item):
        holder, key = operation.args
        kind, name = kinds.get(holder), getattr(key, "value", None)
        read: Any = name
        if function is ops.read_item:
            known = isinstance(key, ir.Const)
            read = core.constant(name) if known else core.Leaf(key, ir.UNKNOWN)
        if isinstance(kind, ir.Reference) and names_of_stored(spec, kind, read):
            return core.Unsupported(
                "a derivative inside of the function is taken of what reads something "
                "into which the function stores",
                ADVICE,
            )
    for operand in operation.args:
        kind = kinds.get(operand)
        if not leads_to_stored(spec, kind) or isinstance(function, ir.Procedure):
            continue
        if ir.is_array_reference(kind):
            continue  # in a derivative inside, which has followed it
        at_its_time = function is results.require_arguments
        if function is ops.at_its_time:  # what it does is asked in its turn
            at_its_time, function = True, operation.args[0].value  # type: ignore[union-attr]
        keys = function in _READ_KEYS and _is_dict(kind)
        if keys and (at_its_time or not storing.is_resized(spec, kind)):  # type: ignore[arg-type]
            continue
        if derived and function.__module__.startswith(ops.CALLED_BY_NAME):
            continue
        if function in _TAKES_AS_KEY and _is_of_plain_objects(kind):
            continue
        compared = function in _COMPARING and _compares(spec, function, kind)
        if isinstance(kind, ir.Reference) and function in _SIZING:
            if storing.is_resized(spec, kind):
                return core.Unsupported(
                    "a list is looked at as a whole, and the program changes how many "
                    "items such lists have",
                    "use list(...) of it",
                )
        if function not in _FOLLOWED or compared:
            return core.Unsupported(
                f"{ir.function_name(function)} is given an object into which the "
                "program stores",
                "give it the numbers that it needs",
            )
    return None


def _is_of_plain_objects(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Reference) and all(
        getattr(form.constructor, "__hash__", None) is object.__hash__
        for form in kind.forms
    )


def _is_dict(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Reference) and all(
        isinstance(form.constructor, type) and issubclass(form.constructor, dict)
        for form in kind.forms
    )


def _compares(spec: Specialiser, function: object, kind: ir.Kind | None) -> bool:
    """True where a comparison reads what may be stored into, or runs the user's
    code."""
    if function is ops.contains and _is_dict(kind):  # which looks at keys
        return False
    while isinstance(kind, ir.List):
        kind = kind.item
    assert kind is not None
    return storing.compares_stored(spec, kind)
