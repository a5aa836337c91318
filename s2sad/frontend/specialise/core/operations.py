"""Operations of the program: their operands, the kinds of their results, and the
statements that hold them.
"""

import itertools
import operator
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core import bindings, problems
from s2sad.source.text.libraries import qualified_name


class Operations(bindings.Bindings, problems.Problems):
    """Appends operations to ``block``."""

    def apply(
        self,
        function: Callable[..., Any],
        args: tuple[core.Value, ...],
        keywords: Mapping[str, core.Value] | None = None,
        *,
        spelling: str = "",
        hint: str = "",
    ) -> core.Value:
        """Append ``temporary = function(*args, **keywords)`` and return its value."""
        words = (keywords or {}).items()
        args = tuple(map(self.by_value, args))
        keywords = {k: self.by_value(v) for k, v in words}
        rule = rules.rule_for(function)
        if not self.derived:
            product = self.sparse_product(function, args)
            if product is not None:
                return product
        if self.derived and rule is not None:
            keywords = {
                k: v for k, v in keywords.items() if not _is_default(rule, k, v)
            }

        args, keywords = self.known_operands(function, rule, args, keywords)
        args = self._with_arrays(rule, args)
        if self.options.static and rule is not None and not self.derived:
            self._assume_equal_axes(function, rule, [core.kind_of(a) for a in args])
        kind = self.result_kind(function, rule, args, keywords)
        if isinstance(kind, ir.Unknown) and not self.derived:
            values = (*args, *keywords.values())
            kind = core.lawful_kind(kind, function, rule, values)
        if not self.derived:
            core.check_dtype(kind, function, rule, (*args, *keywords.values()))
        moved = ir.is_of_references(kind)
        self._check_operands((*args, *keywords.values()), function, moved)
        operation = ir.Apply(
            self.at_its_time(function, args),
            tuple(core.operand_of(a) for a in args),
            tuple((k, core.operand_of(v)) for k, v in keywords.items()),
            spelling,
        )
        name = ir.function_name(function)
        own = name if name.isidentifier() else "result"  # a lambda
        result = self.define(operation, kind, hint or own)
        if not self.constants:
            return result

        return self.result_as_constant(function, args, result)

    def _assume_equal_axes(
        self, function: Callable[..., Any], rule: rules.Rule, kinds: list[ir.Kind]
    ) -> None:
        """Where lengths of arguments are unknown, elementwise operations and products
        of matrices take those that they combine as equal."""
        axes = [ir.axes_of(kind) or () for kind in kinds]
        if function in (operator.matmul, np.matmul, np.dot) and all(axes):
            axes = [axes[0][-1:], axes[1][-2:][:1]]
        elif rule.partials is None:
            return
        for a, b in itertools.combinations(axes, 2):
            for x, y in zip(reversed(a), reversed(b), strict=False):
                if x.length == y.length == "any" and x.symbol != y.symbol:
                    pair = self.symbol_outside(x.symbol), self.symbol_outside(y.symbol)
                    if self.argument_symbols.issuperset(pair):
                        raise core.AxesAssumedEqual(*pair)

    def symbol_outside(self, symbol: Hashable) -> Hashable:
        """The symbol of an axis where the procedures under way are called."""
        procedure = self.procedures.under_way
        while procedure is not None and procedure.details.whole:
            symbols = procedure.details.symbols
            given = (s for (_, s), own in symbols.items() if own == symbol)
            symbol = next(given, symbol)
            procedure = self.procedures.enclosing[procedure]
        return symbol

    def _with_arrays(
        self, rule: rules.Rule | None, args: tuple[core.Value, ...]
    ) -> tuple[core.Value, ...]:
        """``np.sum([a, b])``: a list where the rule differentiates an array becomes
        one."""
        if rule is None or rule.kind is None or not args or self.derived:
            return args
        args = self._with_lists_as_arrays(rule, args)
        first = args[0]
        if not isinstance(first, core.Aggregate) or first.constructor not in (
            tuple,
            list,
        ):
            return args
        if rule.takes_sequence or not ir.is_real_number_kind(core.kind_of(first)):
            return args
        return (self.apply(np.asarray, (first,), hint="array"), *args[1:])

    def _with_lists_as_arrays(
        self, rule: rules.Rule, args: tuple[core.Value, ...]
    ) -> tuple[core.Value, ...]:
        """NumPy's functions, and operators between a list and an array, make an array
        of a list whose length isn't known."""
        lists = [isinstance(core.kind_of(a), ir.List) for a in args]
        if not any(lists) or rule.takes_sequence:
            return args
        module = getattr(rule.function, "__module__", None) or ""
        numpy = module.startswith("numpy") or isinstance(rule.function, np.ufunc)
        beside = any(isinstance(core.kind_of(a), ir.Array) for a in args)
        if not numpy and not (beside and rule.partials is not None):
            return args
        return tuple(
            self.apply(np.array, (a,), hint="array") if is_list else a
            for a, is_list in zip(args, lists, strict=True)
        )

    def raise_if(self, test: core.Value, *words: Any) -> None:
        """Raise an exception, of a class and with words, where a test is true."""
        self.choose(test, lambda: self.raise_now(*words), lambda: None)

    def raise_unless(self, test: core.Value, *words: Any) -> None:
        """Raise one where a test is false."""
        self.choose(test, lambda: None, lambda: self.raise_now(*words))

    def define(self, operation: ir.Apply, kind: ir.Kind, hint: str) -> core.Value:
        """Append an operation; a structured result is unpacked into its items."""
        if isinstance(kind, ir.Structure):
            items = tuple(
                core.Leaf(self.fresh(f"{hint}_{key}"), item)
                for key, item in zip(kind.keys, kind.items, strict=True)
            )
            target = ir.Pack(tuple, kind.keys, tuple(i.operand for i in items))
            self.emit(ir.Assign(self.span, target, operation, kind))
            return core.Aggregate(kind.constructor, kind.keys, items)
        return self.assign(self.fresh(hint), operation, kind)

    def _check_operands(
        self, values: tuple[core.Value, ...], function: Any, moved: bool
    ) -> None:
        """Refuse operands that no program holds, and run-time values as a whole unless
        the function is known to move them; an item of a list of them is ``moved``."""
        for value in values:
            holds = holds_reference(value, lists=not moved)
            if holds and _may_carry_on(function):
                raise core.Unsupported(
                    f"{qualified_name(function)} is given {core.describe(value)} that "
                    "holds what varies, as a whole",
                    "read its items, and give it these",
                )
            if not isinstance(value, core.Leaf | core.Aggregate) or core.holds_object(
                value
            ):
                name = ir.function_name(function)
                advice = "call the method, or pass a function by name"
                if rules.rule_for(function) is None:
                    name = f"{qualified_name(function)}, which has no derivative rule"
                    advice = (
                        "call it outside and pass in what it gives, or register a rule "
                        "with s2sad.rule"
                    )
                raise core.Unsupported(
                    f"{core.describe(value)} is passed to {name}", advice
                )

    def result_kind(
        self,
        function: Callable[..., Any],
        rule: rules.Rule | None,
        args: tuple[core.Value, ...],
        keywords: Mapping[str, core.Value],
    ) -> ir.Kind:
        """The kind of a call's result."""
        if rule is None:
            kinds = [core.kind_of(v) for v in (*args, *keywords.values())]
            return ir.UNKNOWN if any(map(ir.is_real_number_kind, kinds)) else ir.OPAQUE
        try:
            bound = rule.arguments_of(args, keywords)
        except TypeError as error:
            name = ir.function_name(function)
            raise core.Unsupported(
                f"this call of {name} can't be differentiated: {error}",
                f"the supported form is {name}{rule.signature!s}",
            ) from None
        if rule.kind is None:
            kinds = [core.kind_of(v) for v in (*args, *keywords.values())]
            active = rule.differentiates and any(map(ir.is_real_number_kind, kinds))
            return ir.UNKNOWN if active or not rule.differentiates else ir.OPAQUE
        by_name: dict[str, ir.Kind] = {}
        for name, value in bound.items():
            if isinstance(value, tuple):  # *args of the rule
                by_name[name] = ir.tuple_of_kinds(map(core.kind_of, value))
            else:
                by_name[name] = core.kind_of(value)
        try:
            return self._with_own_axes(self.known_lengths(rule.kind(**by_name)))
        except rules.CallRefused as refused:
            problem = core.Unsupported(refused.reason, refused.advice)
            if isinstance(refused, rules.NothingToTake):
                self.raises(problem)
            raise problem from None
        except rules.ValueNeeded as needed:
            self.ask_for_value(needed.kind, tuple(bound.values()), function)
            raise AssertionError("ask_for_value always raises") from None

    def _with_own_axes(self, kind: ir.Kind) -> ir.Kind:
        """The kind with symbols for axes of which nothing is known: what is computed
        from it elementwise has the same."""
        if self.derived or not isinstance(kind, ir.Array) or kind.axes is None:
            return kind
        if all(axis.symbol is not None or axis.length == "one" for axis in kind.axes):
            return kind
        axes = tuple(
            axis
            if axis.symbol is not None or axis.length == "one"
            else replace(axis, symbol=self.fresh_owner("axis"))
            for axis in kind.axes
        )
        return replace(kind, axes=axes)

    def known_lengths(self, kind: ir.Kind) -> ir.Kind:
        """The kind with axes of symbols known to be long marked so."""
        if isinstance(kind, ir.Array) and kind.axes is not None:
            if all(
                a.length != "any" or a.symbol not in self.many_symbols
                for a in kind.axes
            ):
                return kind
            axes = tuple(
                ir.Axis("many", a.symbol) if a.symbol in self.many_symbols else a
                for a in kind.axes
            )
            return ir.Array(kind.dtype, axes, kind.promoted)
        return kind

    def ask_for_value(
        self, needed: ir.Kind, values: tuple[Any, ...], function: Callable[..., Any]
    ) -> None:
        """Ask for a specialisation on the number that decides a kind; raises always."""
        for value in values:
            for leaf in core.leaves(value) if not isinstance(value, tuple) else ():
                if leaf.kind == needed and self.may_ask(leaf):
                    raise core.SpecialiseOnValue(leaf.path)
        raise core.Unsupported(
            f"the result of {ir.function_name(function)} depends on a value "
            f"({needed}) that isn't known before the program runs",
            "use a literal or a parameter that is passed in as it is",
        )


def holds_reference(value: core.Value, lists: bool = False) -> bool:
    """True for a run-time value that leads to numbers, and what holds one; with
    ``lists`` also for lists of such."""
    return any(
        (
            isinstance(leaf.kind, ir.Reference)
            or (lists and ir.is_of_references(leaf.kind))
        )
        and ir.is_real_number_kind(leaf.kind)
        for leaf in core.leaves(value)
    )


def _may_carry_on(function: Callable[..., Any]) -> bool:
    """True for a function through which a derivative may go, and one that nothing is
    known of."""
    if function in ops.MOVE_REFERENCES:
        return False
    rule = rules.rule_for(function)
    return rule is None or rule.differentiates


def _is_default(rule: rules.Rule, keyword: str, value: core.Value) -> bool:
    """True for keywords that rules pass on though they say nothing."""
    if keyword not in ("axis", "keepdims", "dtype", "loc", "scale"):
        return False
    parameter = rule.signature.parameters.get(keyword)
    return parameter is not None and core.constant(parameter.default) == value
