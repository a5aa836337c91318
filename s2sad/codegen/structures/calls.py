"""The calls of passes over structures, where a program makes adjoints, copies and
gradients of what it keeps as it is."""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from s2sad import errors, ir, ops
from s2sad.codegen.python.spelling import Spelling
from s2sad.codegen.structures import copies, written
from s2sad.ops.runtime.structures import as_structure, working_copy, zeros_of_structure


class StructureCalls:
    """Writes the calls in one function; ``operand``, ``call`` and ``kind_kept`` are
    those of what writes its other expressions, ``names`` its variables' final names."""

    def __init__(
        self,
        function: ir.Function,
        names: Mapping[str, str],
        spelling: Spelling,
        operand: Callable[[Any], ast.expr],
        call: Callable[[ast.expr, ir.Apply], ast.expr],
        kind_kept: Callable[[Any], ir.Reference | None],
    ) -> None:
        self._function, self._names, self._spelling = function, names, spelling
        self._operand, self._call, self._kind_kept = operand, call, kind_kept

    def _kind_of(self, operand: Any) -> ir.Kind | None:
        return ir.kind_of(operand, self._function.kinds)

    def zeros(self, value: ir.Apply) -> ast.expr:
        """Zeros in the form of a structure, or of several."""
        (whole,) = value.args
        write = written.pass_of(written.zeros_pass, value.keywords)
        made = self._checking_pass(
            written.pass_of(written.checking_zeros_pass, value.keywords), value
        )
        made = made or self._pass_over(write, whole)
        if made is None:
            return self.general(zeros_of_structure, value)
        return ast.Call(self._spelling.function(made), [self._operand(whole)], [])

    def gradient(self, value: ir.Apply) -> ast.expr:
        """The gradient that an adjoint stands for."""
        whole, adjoint = value.args
        made = None
        if any(value is last for last in self._last_structures()):
            made = self._pass_over(written.gradient_pass, whole)
        if made is None:
            return self.general(as_structure, value)
        if made.is_identity:
            return self._operand(adjoint)
        return ast.Call(self._spelling.function(made), [self._operand(adjoint)], [])

    def working_copy(self, value: ir.Apply) -> ast.expr:
        """A copy that may be changed."""
        (whole,) = value.args
        if "data" in dict(value.keywords):
            return self.general(working_copy, replace(value, keywords=()))
        write = written.pass_of(written.copy_pass, value.keywords)
        checking = written.pass_of(written.checking_copy_pass, value.keywords)
        made = self._checking_pass(checking, value) or self._pass_over(write, whole)
        if made is None:
            return self.general(working_copy, replace(value, keywords=()))
        return ast.Call(self._spelling.function(made), [self._operand(whole)], [])

    def general(self, function: Any, value: ir.Apply) -> ast.expr:
        """A call of the function for structures of any form, which files don't have."""
        if self._spelling.namespace is None:
            kind = self._kind_of(value.args[0])
            why = ""
            if isinstance(kind, ir.Reference):
                why = written.why_general(kind, for_file=True)
            name = ast.unparse(self._operand(value.args[0]))
            raise errors.S2sadError(
                f"{name} holds {why or kind}, which the derivatives of a file don't "
                "follow: let each attribute be of one kind"
            )
        if function is not zeros_of_structure:  # which is given a copy
            operands = (v for a in value.args for v in ir.operand_variables(a))
            function = written.for_classes(function, map(self._kind_of, operands))
        return self._call(self._spelling.function(function), value)

    def added(self, value: ir.Apply) -> ast.expr:
        """A structure that is added to an adjoint."""
        if self._spelling.namespace is None:
            raise errors.S2sadError(
                "copies of lists, dicts or objects that are given are changed, whose "
                "gradients the derivatives of a file don't add up: differentiate the "
                "function where it is imported"
            )
        return self._call(self._spelling.function(ops.add_structure), value)

    def _checking_pass(self, write: Any, value: ir.Apply) -> Any:
        """The function that also checks an argument; None for what doesn't come before
        all else, or is checked already."""
        names = [name for name, own in self._first_structures() if own is value]
        if not names:
            return None
        (name,), (whole,) = names, value.args
        made = self._pass_over(write, whole, self._spelling.unchecked[name])
        if made is not None:
            self._spelling.checked.add(name)
        return made

    def _first_structures(self) -> Iterator[tuple[str, ir.Apply]]:
        """What makes adjoints or copies of arguments before all else, and may check
        them, each with the name of the argument."""
        left = set(self._spelling.unchecked)
        for statement in self._function.body if left else ():
            if not ir.applies(statement, zeros_of_structure, working_copy):
                break
            whole = statement.value.args[0]
            if isinstance(whole, ir.Var) and whole.name in left:
                left.remove(whole.name)
                yield whole.name, statement.value
            left -= ir.names_written(statement)

    def _last_structures(self) -> list[ir.Apply]:
        """What turns adjoints into gradients behind all else, and may take them
        over."""
        found: list[ir.Apply] = []
        for statement in reversed(self._function.body):
            own = [a for a in ir.operations(statement) if a.function is as_structure]
            if not own and not isinstance(statement, ir.Return):
                break
            found += (a for a in own if getattr(self._kind_of(a.args[1]), "adjoint", 0))
        return found

    def _pass_over(self, write: Any, whole: Any, kind: ir.Kind | None = None) -> Any:
        """The function for structures of a kind, that of ``whole`` if none is given;
        None where the general one does."""
        parts = whole.items if isinstance(whole, ir.Pack) else (whole,)
        if isinstance(whole, ir.Pack):
            kinds = [self._kind_of(p) or self._kind_kept(p) for p in parts]
            if any(isinstance(p, ir.Apply) for p, k in zip(parts, kinds) if k is None):
                return None
            kind = copies.kind_of_several(
                {k: kind or ir.UNKNOWN for k, kind in enumerate(kinds)}
            )
        kind = kind or self._kind_of(whole) or self._kind_kept(whole)
        if not isinstance(kind, ir.Reference):
            return None
        key = write, kind
        if key not in self._spelling.passes:
            names = [v.name for p in parts for v in ir.operand_variables(p)]
            name = "_and_".join(self._names.get(n, n) for n in names[:2])
            name += "_and_others" if len(names) > 2 else ""
            for_file = self._spelling.namespace is None
            self._spelling.passes[key] = write(kind, name, for_file=for_file)
        return self._spelling.passes[key]
