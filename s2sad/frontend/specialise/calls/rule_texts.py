"""Texts of rules in place of operations.

A reverse sweep asks for the same derivatives again and again: of the same operation on
other variables, and of one statement each time that a loop is run on trial. The lines
that the text of a rule became are kept, and written again in other variables where the
arguments differ in nothing else.
"""

import ast
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.source.text.source import source_of_own

_CALL = ast.Name("rule", ast.Load())
"""It has no place in a text: the program doesn't call rules."""
_NUMBERS = (ir.Scalar, ir.NumPyScalar, ir.Array, ir.List, ir.Known, ir.Unknown)
"""The kinds of what is one value; each says all that is known of it."""
Arguments = Mapping[str, core.Value]


@core.verb
def expand(
    spec: Specialiser, rule: Callable[..., Any], arguments: Arguments
) -> core.Value:
    """Compile the text of a rule into the current block, with values for its
    parameters."""
    variables: dict[ir.Var, int] = {}
    try:
        values = [(name, _form(v, variables)) for name, v in arguments.items()]
        read_again = frozenset(variables[v] for v in variables if v in spec.read_again)
        form = (rule, tuple(values), read_again, len(spec.many_symbols))
        known = form in spec.rule_texts
    except TypeError:  # some argument is known at compile time alone
        return _written(spec, rule, arguments)
    if spec.raise_points or spec.constants or not spec.constant.isdisjoint(variables):
        return _written(spec, rule, arguments)
    if not known:
        return _kept(spec, rule, arguments, form, tuple(variables))
    lines = spec.rule_texts[form]
    if lines is None:
        return _written(spec, rule, arguments)
    return lines.in_variables(spec, variables)


def _form(value: core.Value, variables: dict[ir.Var, int]) -> Hashable:
    """All that the text of a rule sees of an argument; of its variables, which of them
    are the same. Raises TypeError for what isn't made of numbers and arrays."""
    if isinstance(value, core.Aggregate):
        items = tuple([_form(item, variables) for item in value.items])
        return value.constructor, value.keys, tuple(map(type, value.keys)), items
    if not isinstance(value, core.Leaf):
        raise TypeError
    if value.path is not None or value.selector is not None:
        raise TypeError
    operand, kind = value.operand, value.kind
    if type(kind) not in _NUMBERS:
        raise TypeError
    known = getattr(kind, "value", None)
    if not isinstance(known, int):  # of which some are too long for a text
        known = repr(known)  # 0.0 and -0.0 differ
    if isinstance(operand, ir.Var):
        return variables.setdefault(operand, len(variables)), kind, known
    if not isinstance(operand, ir.Const | ir.Global):
        raise TypeError
    return operand, kind, known


def _written(
    spec: Specialiser, rule: Callable[..., Any], arguments: Arguments
) -> core.Value:
    source = source_of_own(rule)
    derived, spec.derived = spec.derived, True
    try:
        with spec.at(_CALL):
            return spec.inline(source, (), dict(arguments))
    finally:
        spec.derived = derived


def _kept(
    spec: Specialiser,
    rule: Callable[..., Any],
    arguments: Arguments,
    form: Hashable,
    variables: tuple[ir.Var, ...],
) -> core.Value:
    """The text written out, and its lines kept where nothing came of it beside them."""
    spec.rule_texts[form] = None
    block, start, made = spec.block, len(spec.block), len(spec.made)
    before, state = block[start - 1 : start], _state(spec)
    first, done = spec.texts, spec.work.done
    result = _written(spec, rule, arguments)
    lines, new = tuple(block[start:]), spec.made[made:]
    names = {v.name for v in variables} | {name for name, _ in new}
    if (
        block[start - 1 : start] == before
        and (_state(spec), spec.presence) == (state, {})
        and all(_is_line_of(line, spec.span, names) for line in lines)
        and _is_of(result, names)
        and names.isdisjoint(hint for _, hint in new)
    ):
        spec.rule_texts[form] = RuleLines(
            lines,  # type: ignore[arg-type]
            result,
            tuple(v.name for v in variables),
            tuple(
                (name, hint is None, _parted(hint or name, first)) for name, hint in new
            ),
            tuple(n for n in names if ir.Var(n) in spec.read_again),
            spec.texts - first,
            spec.work.done - done - len(lines),
        )
    return result


def _state(spec: Specialiser) -> tuple[Any, ...]:
    """What lines one after another leave as it is."""
    counted: tuple[Any, ...] = (
        *(spec.problems, spec.module.reads, spec.kinds_of_inlined, spec.constant),
        *(spec.phi_copies, spec.shared_frames, spec.asked, spec.slice_bounds),
    )
    rest = id(spec.facts), id(spec.work), spec.owners, spec.unreachable
    return *map(len, counted), *rest


def _is_line_of(line: ir.Statement, span: ir.Span | None, names: set[str]) -> bool:
    """True for an assignment of variables to one, which makes no procedure known."""
    if type(line) is not ir.Assign or not line.derived or line.span != span:
        return False
    within = ir.names_read(line) | ir.names_written(line)
    return within <= names and not any(ir.called_procedures((line,)))


def _is_of(value: core.Value, names: set[str]) -> bool:
    """True for a value of such variables, and of constants."""
    if isinstance(value, core.Aggregate):
        return all(_is_of(item, names) for item in value.items)
    if not isinstance(value, core.Leaf) or value.path is not None or value.selector:
        return False
    return all(v.name in names for v in ir.operand_variables(value.operand))


Parts = tuple[str, int | None, str]
"""A text in parts around the number of the rule's text that it names, counted from the
first one written with it."""


def _parted(text: str, first: int) -> Parts:
    head, colon, tail = text.partition(":")
    if not colon:
        return text, None, ""
    stem, point, number = head.rpartition(".")
    return stem + point, int(number) - first, colon + tail


def _joined(parts: Parts, first: int) -> str:
    head, number, tail = parts
    return head if number is None else f"{head}{number + first}{tail}"


@dataclass(frozen=True, slots=True)
class RuleLines:
    """The lines that the text of a rule became, for arguments of one form."""

    lines: tuple[ir.Assign, ...]
    result: core.Value
    variables: tuple[str, ...]
    """Those of the arguments, in the order in which they are met."""
    made: tuple[tuple[str, bool, Parts], ...]
    """The variables that were made, in order: whether each is one of the text's own,
    and its name, or the hint that it was made by."""
    read_again: tuple[str, ...]
    texts: int
    """How many texts were written: that of the rule, and those of what it calls."""
    work: int

    def in_variables(
        self, spec: Specialiser, variables: Iterable[ir.Var]
    ) -> core.Value:
        """The lines written again, for arguments in other variables."""
        names = dict(zip(self.variables, variables, strict=True))
        first, spec.texts = spec.texts, spec.texts + self.texts
        for name, own, parts in self.made:
            make = spec.temporary if own else spec.fresh
            names[name] = make(_joined(parts, first))

        def renamed(variable: ir.Var) -> ir.Var:
            return names[variable.name]

        spec.presence = {}
        spec.work.spend(self.work)
        spec.read_again.update(names[name] for name in self.read_again)
        for line in self.lines:
            target = ir.map_operand(line.target, renamed)
            value = ir.map_value(line.value, renamed)
            spec.emit(ir.Assign(spec.span, target, value, line.kind, True))

        def moved(leaf: core.Leaf) -> core.Leaf:
            return core.Leaf(ir.map_operand(leaf.operand, renamed), leaf.kind)

        return core.map_leaves(self.result, moved)
