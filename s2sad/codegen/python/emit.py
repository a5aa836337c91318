"""Statements of the IR to syntax, with comments."""

import ast
import itertools
import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.analysis.passes.stored_slots import root_of, with_items_taken
from s2sad.codegen.layout import Comment
from s2sad.codegen.python import expressions, jumps, loops_over_items, row_expressions
from s2sad.codegen.python.caught_exceptions import handler_lines, read_behind, taken
from s2sad.codegen.python.spelling import Spelling
from s2sad.transform.reverse.guards import guarded_term

WRITTEN_AS_STATEMENTS = (
    *(*ops.WRITES, *ops.CONTAINER_CHANGES, *ops.CHANGES_OF_ROWS),
    *ops.SHORTER_STACKS,
)
"""Operations on what their target holds, for which Python has no expression."""


def _may_lack_axes(s: ir.Statement, kinds: Mapping[str, ir.Kind]) -> bool:
    """True where a variable of numbers takes what may be an array without axes."""
    if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
        return False
    if not isinstance(kinds.get(s.target.name), ir.Scalar | ir.NumPyScalar):
        return False
    given = kinds.get(s.value.name) if isinstance(s.value, ir.Var) else s.kind
    return isinstance(given, ir.Array) and not given.axes


class Emitter(row_expressions.RowExpressions):
    """Writes one function; ``names`` are the final names of its variables."""

    runs_over_items = True
    """Whether loops run over the items of lists, not over their places."""

    def __init__(
        self, function: ir.Function, names: Mapping[str, str], spelling: Spelling
    ) -> None:
        super().__init__(function, names, spelling)
        self.spans: list[tuple[ast.stmt, ir.Span | None]] = []
        """The lines that were written, and where they come from; those within others
        first."""
        self.settings = {
            flag: jumps.settings(function.body, flag)
            for flag in ir.flags_of(function.body)
        }
        """The statements that set each flag which ends a loop."""
        self.names_read = ir.names_read_in(function.body)
        self.heading: _Place | None = None
        """What the comment tells under which the compound statement at hand stands, if
        all of its reverse lines belong there."""
        self.scalars = any(
            isinstance(kind, ir.Array) and kind.axes == ()
            for kind in function.kinds.values()
        ) or any(_may_lack_axes(s, function.kinds) for s in ir.walk(function.body))
        """Whether there are arrays without axes."""
        self.read_behind = read_behind(function)
        """Exceptions that a handler caught and others read."""
        self.breaks: set[int] = set()
        """Those that are written as break."""
        self.loops = loops_over_items.LoopsOverItems(
            function, names, nameless=self._is_unread("_")
        )
        self.unread = self.loops.unread_counts() if self.runs_over_items else set()
        """Variables that no line of the text reads."""
        self.iterators = {
            s.target.name for s in ir.walk(function.body) if ir.is_line(s, reversed)
        }

    def definition(self, name: str, arguments: ast.arguments) -> ast.FunctionDef:
        """The whole function."""
        body: list[ast.stmt] = []
        if self.function.docstring:
            body.append(ast.Expr(ast.Constant(self.function.docstring)))
        flags = {self.names.get(f, f) for f in ir.flags_of(self.function.body)}
        body += jumps.without_unread(
            self.block(_without_last_none(self.function)), flags
        )
        self._special.clear()  # its methods, which hold all that it was made of
        return ast.FunctionDef(name, arguments, body, [], None, type_params=[])  # type: ignore[call-arg]

    def block(self, block: ir.Block, leaving: str = "") -> list[ast.stmt]:
        """The statements of a block; reverse lines under the statement they reverse.

        ``leaving`` is the flag that ends the loop around, where an iteration ends with
        the block.
        """
        result: list[ast.stmt] = []
        heading = self.heading
        popped = False
        block = with_items_taken(block, self._kind_kept)
        for position, statement in enumerate(block):
            last = leaving and jumps.guards_only(block[position + 1 :], leaving)
            outer = self.heading
            self.heading = heading if _is_all_from(statement, heading) else None
            before = block[position - 1] if position else None
            if _is_taken_apart(before, statement):
                continue  # where it was taken from the stack
            if getattr(getattr(statement, "target", None), "name", None) in self.unread:
                continue
            lines = self.statement(statement, leaving if last else "")
            self.spans += [(line, statement.span) for line in lines]
            behind = block[position + 1 : position + 2]
            if any(_is_taken_apart(statement, s) for s in behind):
                lines = [self._popped_apart(statement, behind[0])]
                self.spans.append((lines[0], statement.span))
            rest = itertools.dropwhile(self.only_renames, block[position + 1 :])
            following = next(rest, None)
            item = self.taken_row(statement, following)
            item = item or self.taken_item(statement, following)
            if item is not None:
                (line,) = lines
                assert isinstance(line, ast.Assign)
                line.value = item
            elif popped and lines:
                lines, popped = [], False  # the item was taken as it was read
            popped |= item is not None and not isinstance(item, ast.Subscript)
            self.heading = outer
            if not lines:
                continue  # a copy between variables that share a name
            if _is_reverse_line(statement):
                span = statement.span or _next_span(block, position)
                place = _place(span)
                if place is not None and place != heading and span is not None:
                    if span.statement:  # none in a derivative made a function
                        result.append(Comment(span.statement))
                heading = place if place is not None else heading
            elif not _is_reverse(statement) and not self._moves_adjoint(statement):
                heading = None
            result += lines
            if ops.never_returns(statement):
                break
        return result

    def statement(self, s: ir.Statement, leaving: str = "") -> list[ast.stmt]:
        """The lines of one statement; ``leaving`` as for a block."""
        match s:
            case ir.Assign():
                if leaving and jumps.sets(s, leaving):
                    self.breaks.add(id(s))
                    return [*self._assign(s), ast.Break()]
                return self._assign(s)
            case ir.If():
                return self._if(s, leaving)
            case ir.For():
                over = self.loops.run_over(s) if self.runs_over_items else None
                if over is not None:
                    return [self._over_items(s, over)]
                body = self.loop_body(s) or [ast.Pass()]
                target = self._name(s.target, ast.Store())
                if self._is_nameless(s.target.name):
                    target = ast.Name("_", ast.Store())
                return [ast.For(target, self.numbers(s), body, [], None)]
            case ir.While():
                return [self._while(s)]
            case ir.With():
                return [self._with(s, leaving)]
            case ir.Try():
                return self._try(s)
            case ir.Return():
                return [ast.Return(self.operand(s.value))]
            case ir.Effect():
                if s.value.function is ops.evaluated:
                    return self._evaluated(s)
                return [self._effect(s.value)]
            case ir.Save():
                call = expressions.method_call(
                    self.operand(s.stack), "append", self.operand(s.value)
                )
                return [ast.Expr(call)]
            case ir.Restore():
                target = self._name(s.target, ast.Store())
                return [ast.Assign([target], self._restored(s))]
        raise TypeError(f"unknown statement {s!r}")

    def _is_nameless(self, name: str) -> bool:
        """True for a loop's variable that is written as ``_``: nobody reads it, or any
        other variable or datum of that name."""
        own = "." not in name and name not in self.function.temporaries
        if own and name.split("~")[0].strip("_"):
            return False
        return self._is_unread(name)

    def _is_unread(self, name: str) -> bool:
        """True for a variable that may be written as ``_``."""
        if name in self.names_read or "_" in self.spelling.reserved:
            return False
        return all(self.names.get(n, n) != "_" for n in self.names_read)

    def _handed(self, variable: ir.Var) -> ast.expr:
        """The name for a part of what a procedure hands to another."""
        if self._is_unread(variable.name):
            return ast.Name("_", ast.Store())
        return self._name(variable, ast.Store())

    def _popped_apart(self, restore: ir.Statement, apart: ir.Statement) -> ast.stmt:
        """``a, b = kept.pop()``"""
        assert isinstance(restore, ir.Restore) and isinstance(apart, ir.Assign)
        items: list[ast.expr] = [
            self._name(v, ast.Store()) for v in ir.operand_variables(apart.target)
        ]
        return ast.Assign([ast.Tuple(items, ast.Store())], self._restored(restore))

    def _restored(self, s: ir.Restore) -> ast.expr:
        """What a stack gives back, which a pullback leaves as it is."""
        stack = self.operand(s.stack)
        if s.stack.name in self.iterators:
            return ast.Call(self.spelling.builtin("next"), [stack], [])
        return expressions.method_call(stack, "pop")

    def _assign(self, s: ir.Assign) -> list[ast.stmt]:
        if isinstance(s.target, ir.Pack):
            handed = isinstance(s.value, ir.Var) or (
                isinstance(s.value, ir.Apply)
                and (
                    isinstance(s.value.function, ir.Procedure)
                    or s.value.function is operator.getitem
                )
            )
            items = [
                self._handed(v) if handed else self._name(v, ast.Store())
                for v in ir.operand_variables(s.target)
            ]
            target: ast.expr = ast.Tuple(items, ast.Store())
            unread = all(isinstance(i, ast.Name) and i.id == "_" for i in items)
            if isinstance(s.value, ir.Apply) and unread:
                return [ast.Expr(self.operand(s.value))]
            return [ast.Assign([target], self.operand(s.value))]
        own = self.names.get(s.target.name)
        value = s.value
        if isinstance(value, ir.Apply):
            if value.function in ops.SHORTER_STACKS:
                stack, place = map(self.operand, value.args)
                cut = value.function is ops.shortened_stack
                taken = ast.Slice(place) if cut else place
                tail = ast.Subscript(stack, taken, ast.Del())
                lines: list[ast.stmt] = [ast.Delete([tail])]
                target = self._name(s.target, ast.Store())
                if not (isinstance(stack, ast.Name) and stack.id == target.id):
                    lines.append(ast.Assign([target], stack))
                return lines
            if value.function in ops.CHANGES_OF_ROWS:
                return [self.changed_rows(value)]
            if value.function in ops.WRITES:
                return self._index_add(s, value)
            if value.function in ops.CONTAINER_CHANGES:
                return [self._change_of_container(value)]
            first = value.args[0] if value.args else None
            same = isinstance(first, ir.Var) and self.names.get(first.name) == own
            function = expressions.IN_PLACE.get(value.function, value.function)
            if same and function in expressions.BINARY and len(value.args) == 2:
                in_place = value.function in expressions.IN_PLACE
                kind = self.function.kinds.get(s.target.name)
                # what is taken for a number may be an array without axes, which
                # += would write into
                number = (
                    isinstance(kind, ir.Scalar | ir.NumPyScalar) and not self.scalars
                )
                wanted = s.derived and function in (operator.add, operator.sub)
                if in_place or (number and (wanted or value.spelling == "augmented")):
                    name = self._name(s.target, ast.Store())
                    guarded = guarded_term(value.args[1])
                    term = value.args[1] if guarded is None else guarded[1]
                    line = ast.AugAssign(
                        name, expressions.BINARY[function](), self.operand(term)
                    )
                    if guarded is None or not wanted:
                        return [line]
                    return [ast.If(self.operand(guarded[0]), [line], [])]
        target = self._name(s.target, ast.Store())
        emitted = self.operand(value)
        if isinstance(emitted, ast.Name) and emitted.id == target.id:
            return []
        return [ast.Assign([target], emitted)]

    def _change_of_container(self, value: ir.Apply) -> ast.stmt:
        """``items.append(item)`` and the like."""
        if value.function in ops.CHANGES_WITHIN:
            lists, at, *others = value.args
            args: tuple[Any, ...] = (ir.Apply(operator.getitem, (lists, at)), *others)
            value = ir.Apply(ops.OF_ONE_LIST[value.function], args)
        if value.function in ops.KEY_CHANGES:
            return ast.Expr(self.key_change(value))
        items, *given = (self.operand(a) for a in value.args)
        if value.function is ops.with_item_stored:
            place = ast.Subscript(items, given[0], ast.Store())
            item = getattr(self._kind(value.args[0]), "item", None)
            if isinstance(item, ir.Scalar | ir.NumPyScalar):
                return expressions.stored(place, given[1])
            return ast.Assign([place], given[1])
        if value.function is ops.with_item_added:
            place = ast.Subscript(items, given[0], ast.Store())
            return ast.AugAssign(place, ast.Add(), given[1])
        if value.function is ops.without_item:
            if value.args[1] != ir.Const(-1):
                place = ast.Subscript(items, given[0], ast.Del())
                return ast.Delete([place])
            return ast.Expr(expressions.method_call(items, "pop"))
        if value.function is ops.with_row_added:
            place = ast.Subscript(items, given[0], ast.Store())
            return ast.Assign([place], self.sums_of_rows(*value.args))
        if value.function is ops.without_first:
            return ast.Expr(expressions.method_call(items, "popleft"))
        if value.function is ops.with_first:
            return ast.Expr(expressions.method_call(items, "appendleft", given[0]))
        if value.function is ops.extended:
            longer = self._name(value.args[0], ast.Store())  # type: ignore[arg-type]
            return ast.AugAssign(longer, ast.Add(), given[0])
        if value.function is ops.appended:
            return ast.Expr(expressions.method_call(items, "append", given[0]))
        return ast.Expr(expressions.method_call(items, "insert", *given))

    def _index_add(self, s: ir.Assign, value: ir.Apply) -> list[ast.stmt]:
        buffer, index, amount, *rest = value.args
        assert isinstance(s.target, ir.Var)
        lines: list[ast.stmt] = []
        target = self._name(s.target, ast.Store())
        source = self.operand(buffer)
        if not (isinstance(source, ast.Name) and source.id == target.id):
            lines.append(ast.Assign([target], source))
        if self.is_rows(s.target):
            return [*lines, self.written_rows(value)]
        load = ast.Name(target.id, ast.Load())
        repeats = value.function is ops.index_add and rest[:1] == [ir.Const(True)]
        if repeats or value.function is ops.accumulated:
            function = expressions.attribute(
                expressions.numpy_name("add", self.spelling), "at"
            )
            arguments = [load, self._whole_index(index), self.operand(amount)]
            lines.append(ast.Expr(ast.Call(function, arguments, [])))
        else:
            place = self.part(s.target, index)
            place.ctx = ast.Store()
            if value.function in (ops.index_set, ops.stored):
                lines.append(ast.Assign([place], self.operand(amount)))
            else:
                subtracted = value.function is ops.subtracted_from
                sign = ast.Sub() if subtracted else ast.Add()
                lines.append(
                    expressions.accumulation(place, sign, self.operand(amount))
                )
        return lines

    def loop_body(self, s: ir.Loop) -> list[ast.stmt]:
        """The body of a loop; what ends it early is a break where that is possible."""
        if s.until is None:
            return self.block(s.body)
        flag = s.until.name
        body = self.block(s.body, flag)
        inside = jumps.settings(s.body, flag)
        if not inside <= self.breaks:
            body.append(ast.If(self.operand(s.until), [ast.Break()], []))
        self.breaks -= inside  # these end this loop, and not one around it
        return body

    def _if(self, s: ir.If, leaving: str = "") -> list[ast.stmt]:
        if leaving and jumps.is_guard(s, leaving):
            inside = jumps.settings(s.orelse, leaving)
            if self.settings[leaving] - inside <= self.breaks:
                return self.block(s.orelse, leaving)
        if not s.body and len(s.orelse) == 1 and isinstance(s.orelse[0], ir.Effect):
            effect = s.orelse[0].value
            if effect.function is ops.raise_assertion_error:
                message = self.operand(effect.args[0]) if effect.args else None
                return [ast.Assert(self.operand(jumps.tested(s.test)), message)]
        choice = self._as_expression(s)
        if choice is not None:
            return [choice]
        body, orelse = self.block(s.body, leaving), self.block(s.orelse, leaving)
        test = self.operand(jumps.tested(s.test))
        first = jumps.stored_first_in_both(test, body, orelse)
        body, orelse = body[len(first) :], orelse[len(first) :]
        if first and not (body or orelse):
            return first
        if not body:
            return [*first, ast.If(_negated(test), orelse or [ast.Pass()], [])]
        return [*first, *jumps.without_else(test, _negated(test), body, orelse)]

    def _as_expression(self, s: ir.If) -> ast.stmt | None:
        """``t = a if test else b`` for a temporary of the user's own expression."""
        if len(s.body) != 1 or len(s.orelse) != 1:
            return None
        parts = [*s.body, *s.orelse]
        if not all(
            isinstance(p, ir.Assign) and isinstance(p.target, ir.Var) for p in parts
        ):
            return None
        name = parts[0].target.name  # type: ignore[attr-defined]
        if name not in self.function.temporaries or not name.startswith("."):
            return None
        if name in self.settings:
            return None
        if any(p.target.name != name for p in parts):  # type: ignore[attr-defined]
            return None
        made = [getattr(p.value, "function", None) for p in parts]  # type: ignore[attr-defined]
        if any(function in WRITTEN_AS_STATEMENTS for function in made):
            return None
        test = self.operand(jumps.tested(s.test))
        target = self._name(ir.Var(name), ast.Store())
        values = [self.operand(p.value) for p in parts]  # type: ignore[attr-defined]
        return ast.Assign([target], ast.IfExp(test, values[0], values[1]))

    def _while(self, s: ir.While) -> ast.stmt:
        condition = self.block(s.condition)
        body = self.loop_body(s) or [ast.Pass()]
        test = self.operand(jumps.tested(s.test))
        if not condition:
            return ast.While(test, body, [])
        leave = ast.If(_negated(test), [ast.Break()], [])
        return ast.While(ast.Constant(True), [*condition, leave, *body], [])

    def _with(self, s: ir.With, leaving: str) -> ast.stmt:
        first, rest = taken(s.body, ir.entered_value)
        item = ast.withitem(self.operand(s.value), None)
        if first is not None:
            item.optional_vars = self._name(first, ast.Store())
        return ast.With([item], self.block(rest, leaving) or [ast.Pass()])

    def _try(self, s: ir.Try) -> list[ast.stmt]:
        final = self.block(s.final)
        if not s.handlers and not final:
            return [*self.block(s.body), *self.block(s.orelse)]
        handlers = []
        for handler in s.handlers:
            caught, body = taken(handler.body, ir.caught_exception)
            types = None if handler.types is None else self.operand(handler.types)
            name = None if caught is None else self.names[caught.name]
            lines = self.block(body)
            behind = caught is not None and caught.name in self.read_behind
            names = {*self.names.values(), *self.spelling.reserved}
            handlers.append(handler_lines(types, name, lines, behind, names))
        tried = self.block(s.body) or [ast.Pass()]
        return [ast.Try(tried, handlers, self.block(s.orelse), final)]

    def _target(self, item: ir.Var | ir.Pack) -> ast.expr:
        """What a loop assigns an item to."""
        if isinstance(item, ir.Var):
            return self._name(item, ast.Store())
        return ast.Tuple([*map(self._handed, ir.operand_variables(item))], ast.Store())

    def _over_items(self, s: ir.For, over: loops_over_items.RunOver) -> ast.stmt:
        """``for a, b in zip(first, second):``"""
        body = self.loop_body(replace(s, body=over.body)) or [ast.Pass()]
        names = list(map(self._target, over.items))
        lists: list[ast.expr] = [self.operand(v) for v in over.lists]
        for k, source in enumerate(over.lists):
            if s.backwards or source in over.kept:
                backwards = self.spelling.builtin("reversed")
                lists[k] = ast.Call(backwards, [lists[k]], [])
        target, items = names[0], lists[0]
        if len(lists) > 1:
            target = ast.Tuple(names, ast.Store())
            items = ast.Call(self.spelling.builtin("zip"), lists, [])
        if over.place is not None:
            place = self._name(over.place, ast.Store())
            target = ast.Tuple([place, target], ast.Store())
            items = ast.Call(self.spelling.builtin("enumerate"), [items], [])
        return ast.For(target, items, body, [], None)

    def numbers(self, s: ir.For) -> ast.expr:
        """What a loop counts through."""
        bounds = [self.operand(s.start), self.operand(s.stop), self.operand(s.step)]
        if s.step == ir.Const(1):
            bounds = bounds[:2]
            if s.start == ir.Const(0):
                bounds = bounds[1:]
        numbers = ast.Call(self.spelling.builtin("range"), bounds, [])
        if s.backwards:
            return ast.Call(self.spelling.builtin("reversed"), [numbers], [])
        return numbers

    def _effect(self, value: ir.Apply) -> ast.stmt:
        if value.function in ops.RAISING:
            return self._raise(value)
        if value.function in ops.ADDS_TO_SLOTS:
            owner, key, amount = value.args
            place = self._slot(owner, key, value.function is ops.add_to_item)
            place.ctx = ast.Store()
            return expressions.accumulation(place, ast.Add(), self.operand(amount))
        if value.function in (*ops.STORES_INTO_ARRAYS, ops.add_to_part):
            return self.written_array(value)
        if value.function in ops.RESIZES:
            return self._resized(value)
        if value.function in ops.STORES_INTO_SLOTS:
            owner, key, *stored = value.args
            of_items = value.function in ops.STORES_INTO_ITEMS
            if stored:
                content = self.operand(stored[0])
            else:
                zeros = expressions.numpy_name("zeros_like", self.spelling)
                content = ast.Call(zeros, [self._slot(owner, key, of_items)], [])
            held = self._slot(owner, key, of_items)
            held.ctx = ast.Store()
            if stored and self._holds_number(owner, key, of_items):
                return expressions.stored(held, content)
            return ast.Assign([held], content)
        return ast.Expr(self.operand(value))

    def _holds_number(self, owner: ir.Operand, key: ir.Operand, of_items: bool) -> bool:
        """True for a slot in which a number of Python's or NumPy's stands."""
        kind = self._kind_kept(owner)
        name = ir.EACH if of_items else getattr(key, "value", None)
        slot = kind and ir.kind_of_slot(kind, name)
        return isinstance(slot, ir.Scalar | ir.NumPyScalar)

    def _moves_adjoint(self, s: ir.Statement) -> bool:
        """True for a line that does to an adjoint what the function does to its value,
        or undoes that."""
        if isinstance(s, ir.Effect) and s.value.function in ops.RESIZES:
            return ir.is_adjoint(self.function.kinds.get(str(root_of(s.value))))
        return _moves_adjoint(s)

    def _resized(self, value: ir.Apply) -> ast.stmt:
        """A list or dict that gets other items."""
        owner, place, *stored = value.args
        if value.function is ops.store_items:
            whole = ast.Subscript(self.operand(owner), ast.Slice(), ast.Store())
            return ast.Assign([whole], self.operand(stored[0]))
        if value.function in _METHODS:
            name = _METHODS[value.function]
            method = expressions.attribute(self.operand(owner), name)
            given = [o for o in (place, *stored) if o != ir.Const(None)]
            return ast.Expr(ast.Call(method, list(map(self.operand, given)), []))
        if value.function in (ops.add_key, ops.add_key_again):
            item = self.part(owner, place)
            item.ctx = ast.Store()
            return ast.Assign([item], self.operand(stored[0]))
        at_end = place == ir.Const(-1) and value.function is not ops.remove_key
        at_start = place == ir.Const(0) and self._is_deque(owner)
        if not stored and not (at_end or at_start):
            item = self.part(owner, place)
            item.ctx = ast.Del()
            return ast.Delete([item])
        name = ("append" if at_end else "insert") if stored else "pop"
        if at_start:
            name = "appendleft" if stored else "popleft"
        method = expressions.attribute(self.operand(owner), name)
        operands = stored if at_end or at_start else (place, *stored)
        return ast.Expr(ast.Call(method, list(map(self.operand, operands)), []))

    def _slot(self, owner: ir.Operand, key: ir.Operand, of_items: bool) -> Any:
        """What names an attribute, or an item of a list or dict."""
        if of_items:
            return self.part(owner, key)
        assert isinstance(key, ir.Const)
        return expressions.attribute(self.operand(owner), key.value)

    def _evaluated(self, s: ir.Effect) -> list[ast.stmt]:
        """The expression alone; nothing where it is a variable that has a value."""
        (part,) = s.value.args
        if isinstance(part, ir.Var):
            body, parameters = self.function.body, self.function.parameters
            if part.name in assigned_variables(body, parameters).before[id(s)]:
                return []
        return [] if isinstance(part, ir.Const) else [ast.Expr(self.operand(part))]

    def _raise(self, value: ir.Apply) -> ast.stmt:
        """A raise statement."""
        arguments = list(value.args)
        if value.function is ops.raise_again:
            return ast.Raise(None, None)
        cause = None
        if value.function is ops.raise_from:
            cause = self.operand(arguments.pop(0))
        if value.function is ops.raise_assertion_error:
            arguments.insert(0, ir.Const(AssertionError))
        exception, *parts = map(self.operand, arguments)
        words = [ast.keyword(k, self.operand(v)) for k, v in value.keywords]
        if parts or words or value.function is ops.raise_assertion_error:
            exception = ast.Call(exception, parts, words)
        return ast.Raise(exception, cause)


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return expressions.denied(test)


def _without_last_none(function: ir.Function) -> ir.Block:
    """The body without the return of a program that gives nothing."""
    *body, last = function.body
    nothing = isinstance(last, ir.Return) and last.value == ir.Const(None)
    return tuple(body) if nothing and body else function.body


_METHODS = {
    ops.clear_items: "clear",
    ops.clear_keys: "clear",
    ops.fill_items: "extend",
    ops.reverse_items: "reverse",
    ops.rotate_items: "rotate",
}
"""What changes a list, dict or deque by a method of its own."""
_CHANGES_OF_ADJOINTS = (
    *ops.CHANGES_ADJOINTS,
    *ops.FILLS_ADJOINTS,
    *ops.CLEARS_ADJOINTS,
    ops.put_adjoint_part,
)


def _is_reverse_line(statement: ir.Statement) -> bool:
    """True for a line of the reverse sweep that stands under a comment."""
    if isinstance(statement, ir.Restore):
        return True
    if isinstance(statement, ir.Assign):
        return (
            statement.derived
            and not _moves_adjoint(statement)
            and statement.span is not None
        )
    # A reverse program that adds to the adjoint it is given, or a sum into a slot.
    return isinstance(statement, ir.Effect) and (
        isinstance(statement.value.function, ir.Procedure)
        or statement.value.function in _CHANGES_OF_ADJOINTS
    )


def _moves_adjoint(statement: ir.Statement) -> bool:
    """True for a line that does to an adjoint what the function does to its value."""
    kind = statement.kind if isinstance(statement, ir.Assign) else None
    item = kind.item if isinstance(kind, ir.List) else kind
    return isinstance(item, ir.Reference) and item.adjoint


def _is_reverse(statement: ir.Statement) -> bool:
    return any(_is_reverse_line(s) for s in ir.walk((statement,)))


_Place = tuple[str, int, str]


def _place(span: ir.Span | None) -> _Place | None:
    return None if span is None else (span.filename, span.line, span.statement)


def _is_taken_apart(restore: ir.Statement | None, s: ir.Statement) -> bool:
    """True where a line takes a tuple apart that has just come from a stack."""
    return (
        isinstance(restore, ir.Restore)
        and isinstance(s, ir.Assign)
        and isinstance(s.target, ir.Pack)
        and s.value == restore.target
    )


def _is_all_from(statement: ir.Statement, place: _Place | None) -> bool:
    """True if one statement of the user's has all the reverse lines in this one."""
    places = {_place(s.span) for s in ir.walk((statement,)) if _is_reverse_line(s)}
    return places - {None} <= {place}


def _next_span(block: ir.Block, position: int) -> Any:
    for statement in block[position + 1 :]:
        if isinstance(statement, ir.Assign | ir.Restore) and statement.span is not None:
            return statement.span
    return None
