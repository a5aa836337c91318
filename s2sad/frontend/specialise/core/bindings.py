"""Binding of names: each leaf of a value goes to a variable of its own."""

import operator
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from enum import Enum
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.unjumped_paths import forget_unjumped
from s2sad.frontend.specialise.core.context import Context
from s2sad.source.normalise.jumps import is_jump_flag

MOST_TOLD_APART = 250
"""So many objects of a class are told apart by name; of a class with more, objects are
kept as they are."""


class Bindings(Context):
    """Binds parameters and the user's names, and tells apart functions bound on
    different paths."""

    def bind(self, name: str, value: core.Value) -> None:
        """Assign a value to a user's name: each of its leaves to a variable of its
        own."""
        owner = self.frame.owner(name) or self.frame
        self._note_bound(owner, name, value)
        if owner is not self.frame:
            with self.inside(owner):
                self.bind(name, value)
            return
        if name in self.frame.global_names:
            raise core.Unsupported(
                f"{name!r} is a global variable, and storing into it can't be "
                "differentiated",
                "return the new value",
            )
        if is_jump_flag(name):
            forget_unjumped(self.frames_at_stake())
        self.work.take(value)
        if name != getattr(self.frame, "title", None):
            value = self.as_cells(value, name)
        rebound = name.startswith(".") or name in self.frame.rebound
        told_apart = rebound and not self.derived
        if isinstance(value, core.Missing) or (
            isinstance(value, core.Cell) and not told_apart
        ):
            self.frame.names[name] = value
            return
        if told_apart:
            value = self._as_choices(value)
        if isinstance(value, core.Leaf):
            value = self._bind_leaf(value, self.variable(name))
        else:
            value = self._bind_parts(name, value)
        self.frame.names[name] = _with_selectors(value) if told_apart else value

    def hold(self, name: str, value: core.Value) -> None:
        """Let a name of the activation under way stand for a value, without a variable
        of its own where that isn't a variable of another program."""
        procedure = self.procedures.under_way
        if procedure is None or self.frame.serial >= procedure.details.first_serial:
            self.frame.names[name] = value
        else:
            self.bind(name, value)

    def _note_bound(self, owner: core.Frame, name: str, value: core.Value) -> None:
        procedure = self.procedures.under_way
        if procedure is None or owner.serial >= procedure.details.first_serial:
            return
        details = procedure.details
        if (owner, name) in details.changed or details.is_of_turn(owner, name):
            return
        raise core.BindsOutside(procedure, owner, name, value)

    def _bind_parts(self, name: str, value: core.Value) -> core.Value:
        self.shared([value])
        targets: dict[tuple, ir.Var] = {}

        def note_target(leaf: core.Leaf, path: tuple) -> core.Leaf:
            targets.setdefault(path, self.variable(name, path))
            return leaf

        core.map_with_paths(value, note_target)
        written = set(targets.values())

        def copy_if_overwritten(leaf: core.Leaf, path: tuple) -> core.Leaf:
            if leaf.operand in written and leaf.operand != targets[path]:
                return self.assign(self.fresh("previous"), leaf.operand, leaf.kind)
            return leaf

        value = self.copied(value, copy_if_overwritten)
        return self.copied(
            value, lambda leaf, path: self._bind_leaf(leaf, targets[path])
        )

    def copied(
        self,
        value: core.Value,
        copy: Callable[[core.Leaf, tuple], core.Leaf],
        path: tuple = (),
    ) -> core.Value:
        """The value with each leaf copied. What one of several functions keeps is
        copied where that one is chosen: else it may have no value."""
        if isinstance(value, core.Leaf):
            return copy(value, path)
        if not isinstance(value, core.Choice):
            parts = [
                self.copied(part, copy, (*path, key))
                for key, part in core.parts_of(value)
            ]
            same = all(
                a is b for a, (_, b) in zip(parts, core.parts_of(value), strict=True)
            )
            return value if same else core.with_parts(value, tuple(parts))
        value = replace(value, which=copy(value.which, path))
        options = []
        for tag, option in value.options:
            with self.new_block() as block:
                if tag is not None:
                    option = self.copied(option, copy, (*path, tag))
            if block and len(value.options) > 1:
                test = self.is_option(value, tag)
                self.emit(ir.If(self.span, test.operand, tuple(block), ()))
            else:
                self.block += block
            options.append((tag, option))
        return replace(value, options=tuple(options))

    def is_option(self, choice: core.Choice, tag: Hashable) -> core.Leaf:
        """The test that a choice is this one."""
        from s2sad import ops

        which = choice.which.operand
        if isinstance(tag, tuple):
            operation = ir.Apply(
                ops.contains, (which, ir.pack_tuple(*map(ir.Const, tag)))
            )
        else:
            same = operator.is_ if tag is None else operator.eq
            operation = ir.Apply(same, (which, ir.Const(tag)))
        return self.assign(self.fresh("condition"), operation, ir.BOOL)

    def _as_choices(self, value: core.Value) -> core.Value:
        """The value with each function in it as a choice of one, so that a variable
        will hold its name and functions bound on different paths are told apart."""
        if isinstance(value, core.Aggregate):
            parts = tuple(self._as_choices(part) for _, part in core.parts_of(value))
            return core.with_parts(value, parts)
        if isinstance(value, core.Cell) and value.frame.place is not None:
            return value
        if not (
            isinstance(value, core.Cell) or core.is_function(value)
        ) or _holds_choice(value):
            return value
        tag = self.tag_of(value)
        return core.Choice(core.Leaf(ir.Const(tag), ir.OPAQUE), ((tag, value),))

    def tag_of(self, function: core.Value) -> str:
        """A name for a known function, different from those of others."""
        key = function_key(function)
        if key not in self._tags:
            wish = _plain_name(function)
            self._tagged[wish].append(function)
            count = len(self._tagged[wish])
            if count > MOST_TOLD_APART and isinstance(function, core.Cell):
                self.keep_objects(function)
            self._tags[key] = f"{wish} {count}" if count > 1 else wish
        return self._tags[key]

    def shared(self, values: Iterable[core.Value], times: int = 1) -> None:
        """Note the temporaries that are bound several times when each of the values is
        bound ``times`` times."""
        operands = [leaf.operand for v in values for leaf in core.leaves(v)]
        if len(operands) == times == 1:
            return
        counts = Counter(operands)
        self.read_again |= {o for o, count in counts.items() if count * times > 1}

    def held(
        self, value: core.Value, assigned: Iterable[str] | None = None
    ) -> core.Value:
        """The value in operands that stay as they are when names of this activation
        are assigned anew, or any names."""
        written = self.variables_of(assigned or ())

        def is_bound_anew(variable: ir.Var) -> bool:
            if assigned is not None:
                return variable in written
            # hidden names have a dot in front
            return variable.name[0] == "." or variable.name not in self.temporaries

        def copy(leaf: core.Leaf, path: tuple) -> core.Leaf:
            if not isinstance(leaf.operand, ir.Var) or not is_bound_anew(leaf.operand):
                return leaf
            target = self.fresh(leaf.operand.name)
            self.assign(target, leaf.operand, leaf.kind)
            return core.Leaf(target, leaf.kind, leaf.path)

        return self.copied(value, copy)

    def _bind_leaf(self, leaf: core.Leaf, target: ir.Var) -> core.Leaf:
        operand = leaf.operand
        if operand == target:
            return leaf
        if isinstance(operand, ir.Const) and not _is_plain(operand.value):
            return leaf  # functions, modules and dtypes live at compile time alone
        if self.told_slots:
            for frame in self.frames_at_stake():
                core.forget_slots(frame, target)
        last = self.block[-1] if self.block else None
        if (
            isinstance(last, ir.Assign)
            and isinstance(operand, ir.Var)
            and operand.name in self.temporaries
            and operand not in self.read_again
            and (renamed := _with_target(last, operand, target)) is not None
            and not (self.derived and self._has_name(operand))
        ):
            self.block[-1] = renamed
            if self.told_slots:
                core.rename_in_slots(self.frame, operand, target)
        else:
            self.assign(target, operand, leaf.kind)
            if self.told_slots:
                core.share_slots(self.frame, operand, target)
                if isinstance(operand, ir.Var) and operand.name in self.temporaries:
                    core.rename_in_slots(self.frame, operand, target)
        if operand not in self.opaque_items:
            self.opaque_items.discard(target)
        self.note_opaque(target, operand)
        if operand in self.keys_of:
            self.keys_of[target] = self.keys_of[operand]
        else:
            self.keys_of.pop(target, None)
        if operand in self.constant:
            self.constant.add(target)
        else:
            self.constant.discard(target)
        return core.Leaf(target, leaf.kind, leaf.path)

    def _has_name(self, operand: ir.Operand) -> bool:
        """A name of this function holds the operand, and may be read again."""
        values = self.frame.names.values()
        return any(leaf.operand == operand for v in values for leaf in core.leaves(v))

    def bind_argument(self, name: str, kind: ir.Kind, path: Hashable) -> core.Value:
        """The value of a parameter of the whole function; projections unpack
        structures."""
        self.note_symbols(kind)
        self.kinds_given.append(kind)
        if not isinstance(kind, ir.Structure):
            value = self.argument_value(ir.Var(name), kind, path)
            self.user_names.add(name)
            self.frame.names[name] = value
            return value
        items = tuple(
            self._project(ir.Var(name), kind, (path, key), item, key, (name, key))
            for key, item in zip(kind.keys, kind.items, strict=True)
        )
        whole = core.Aggregate(kind.constructor, kind.keys, items)
        self.frame.names[name] = whole
        return whole

    def argument_value(self, operand: Any, kind: ir.Kind, path: Hashable) -> core.Leaf:
        """A leaf of the arguments; what is known by value becomes a constant."""
        known = (
            getattr(kind, "value", None) if not isinstance(kind, ir.Scalar) else None
        )
        if known is not None or kind == core.constant(None).kind:
            return core.Leaf(core.constant(known).operand, kind, path)
        return core.Leaf(operand, kind, path)

    def _project(
        self,
        holder: ir.Var,
        kind: ir.Structure,
        path: Hashable,
        item: ir.Kind,
        key: Hashable,
        names: tuple[Hashable, ...],
    ) -> core.Value:
        target = self.variable(str(names[0]), names[1:])
        operation = projection(kind.constructor, holder, key)
        if isinstance(item, ir.Structure):
            self.assign(target, operation, item)
            items = tuple(
                self._project(target, item, (path, k), inner, k, (*names, k))
                for k, inner in zip(item.keys, item.items, strict=True)
            )
            return core.Aggregate(item.constructor, item.keys, items)
        leaf = self.argument_value(target, item, path)
        if leaf.operand == target:
            self.assign(target, operation, item)
        return leaf

    def note_symbols(self, kind: ir.Kind) -> None:
        """Remember which axis symbols are known not to have length one."""
        if isinstance(kind, ir.Structure):
            for item in kind.items:
                self.note_symbols(item)
        elif isinstance(kind, ir.Array) and kind.axes is not None:
            self.argument_symbols.update(a.symbol for a in kind.axes)
            self.many_symbols.update(
                a.symbol
                for a in kind.axes
                if a.length == "many" and a.symbol is not None
            )


def _holds_choice(value: core.Value) -> bool:
    """True for a function made of one that isn't known."""
    return any(
        isinstance(part, core.Choice) or _holds_choice(part)
        for _, part in core.parts_of(value)
    )


def _with_selectors(value: core.Value) -> core.Value:
    """The value with functions in place of choices of one, which note the variables
    that hold their names."""
    if isinstance(value, core.Aggregate):
        return core.with_parts(
            value, tuple(_with_selectors(v) for _, v in core.parts_of(value))
        )
    if not isinstance(value, core.Choice) or len(value.options) > 1:
        return value
    ((tag, function),) = value.options
    if not isinstance(
        function, core.Leaf | core.Closure | core.Partial | core.Method | core.Cell
    ):
        return value
    return replace(function, selector=core.Selector(value.which.operand, str(tag)))


def function_key(value: core.Value) -> Hashable:
    """The same for functions that differ in nothing but the values they hold."""
    match value:
        case core.Leaf(operand=ir.Const(value=known)):
            return id(known)
        case core.Closure(source=source, frame=frame):
            return (source, frame)
        case core.Cell(frame=frame):
            return id(frame)
        case core.Partial():
            words = tuple(word for word, _ in value.keywords)
            inner = tuple(function_key(a) for a in value.args)
            return (function_key(value.function), inner, words)
        case core.Method():
            return (value.name, function_key(value.receiver))
        case core.Aggregate():
            items = tuple(map(function_key, value.items))
            return (value.constructor, value.keys, items)
    cls: Any = type(value)
    return cls


def _plain_name(function: core.Value) -> str:
    """The name of a function, as its variable holds it."""
    while isinstance(function, core.Partial):
        function = function.function
    if isinstance(function, core.Method):
        return function.name
    if isinstance(function, core.Cell):
        return str(function.constructor.__name__).lower()
    if isinstance(function, core.Closure):
        name = function.source.name
    else:
        known = getattr(function, "operand", ir.Const(None)).value
        name = getattr(known, "__name__", None) or type(known).__name__
    return name.strip("<>")


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(
        value, bool | int | float | complex | str | bytes | Enum
    )


def projection(constructor: Any, holder: ir.Var, key: Hashable) -> ir.Apply:
    """Reading one item of a structure."""
    if constructor in (tuple, list, dict):
        return ir.Apply(operator.getitem, (holder, core.constant(key).operand))
    return ir.Apply(
        getattr, (holder, core.constant(key).operand), (), f"attribute:{key}"
    )


def _with_target(statement: ir.Assign, old: ir.Var, new: ir.Var) -> ir.Assign | None:
    """An assignment that gives a variable another name; None where it can't."""
    target = statement.target
    if target == old and isinstance(statement.value, ir.Apply):
        if old.name not in ir.names_read(statement):
            return ir.altered(statement, target=new)
    if isinstance(target, ir.Pack) and isinstance(statement.value, ir.Var):
        if old in target.items and new not in target.items:
            items = tuple(new if item == old else item for item in target.items)
            return ir.altered(statement, target=replace(target, items=items))
    return None
