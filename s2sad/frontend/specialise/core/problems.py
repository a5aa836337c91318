"""Problems of the user's program: collected, and raised together."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from s2sad import ir
from s2sad.errors import Problem, UnsupportedError, one_line
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core import work
from s2sad.frontend.specialise.core.context import Context
from s2sad.frontend.specialise.core.values import Value, leaves
from s2sad.source.text import composed, source_function
from s2sad.source.text.libraries import is_file_of_library
from s2sad.source.text.source import of_user

Result = TypeVar("Result")


def catches(types: Value | None, raised: type[Exception]) -> bool:
    """True for handlers that catch an exception; None stands for all exceptions."""
    if types is None:
        return True
    classes = (
        leaf.kind.value for leaf in leaves(types) if isinstance(leaf.kind, ir.Known)
    )
    return any(isinstance(cls, type) and issubclass(raised, cls) for cls in classes)


def of_program(problem: Problem, calls: Sequence[work.Call]) -> Problem:
    """A problem with the calls that led to it, innermost first. One in the text of a
    library stands at the call in the user's own text, which alone can be changed."""
    own = [not is_file_of_library(call.source.filename) for call in calls]
    if True not in own or not is_file_of_library(problem.filename):
        return replace(problem, trail=tuple(map(str, calls)))
    at = own.index(True)
    call, *outer = calls[at:]
    called: Any = getattr(call.node, "func", None)
    what = f"this call of {ast.unparse(called)}" if called else "this"
    place = f"{one_line(problem.filename)}:{problem.line}"
    return replace(
        call.source.problem(call.node, f"{what} can't be differentiated", work.OUTSIDE),
        trail=tuple(map(str, outer)),
        cause=f"{problem.reason} ({place})",
    )


class Problems(Context):
    """Keeps what can't be differentiated, with the place in the source."""

    def report(
        self, problem: core.Unsupported, statement: ast.AST, follows: bool = False
    ) -> None:
        """Keep a problem; all of a function's problems are raised together, but one
        that ``follows`` from what a statement inside had, and those of expressions that
        read what a statement with a problem would have bound. A run that learned
        something ends here: what follows may be another with it."""
        if self.has_learned or self.asked:
            raise core.Learned
        for frame in self.active:  # a text of a library may need single items
            if frame.source.is_of_library:
                held = frame.names.values()
                self.ask_for_items(*(v for v in held if isinstance(v, core.Leaf)))
        self.is_refused |= not problem.raised_by_program
        found: Any = problem.node
        node = found if hasattr(found, "lineno") else statement
        is_target = isinstance(getattr(node, "ctx", None), ast.Store)
        bound = getattr(statement, "value", None) if is_target else None
        if follows or any(map(self.reads_forgotten, filter(None, (node, bound)))):
            return
        source, node = self._shown(self.frame.source, node)
        found = source.problem(node, problem.reason, problem.advice)
        found = of_program(found, self._calls())
        self.problems.append(found)
        if not self.procedures.kept and not self.facts.found_in_calls:
            self.refused_anyway.append(found)

    def reads_forgotten(self, node: ast.AST) -> bool:
        """True for an expression that reads a name of which nothing is known behind a
        problem."""
        if not self.problems:
            return False
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        forgotten = self.forgotten.union(*self.forgotten_before)
        return any(
            (self.frame, name) in forgotten
            and getattr(self.frame.names.get(name), "kind", None) == ir.UNKNOWN
            for name in names
        )

    def _shown(
        self, source: source_function.SourceFunction, node: ast.AST
    ) -> tuple[source_function.SourceFunction, ast.AST]:
        """The place in the user's text that led to one in a text that s2sad made."""
        for _, caller, call in reversed(self.trail):
            if not source.is_made:
                break
            source, node = caller, call
        user = of_user(source)
        return (source, node) if user is source else (user, user.node)

    def raises(
        self, problem: core.Unsupported, exception: Exception | None = None
    ) -> NoReturn:
        """What is evaluated raises, from what is known so far: ``exception``, where a
        handler catches that, and in a handler, which may never run. In a loop the kinds
        at its head may change still: nothing that follows is run in this iteration,
        and the problem is one only if it stays."""
        if exception is not None and not self.derived:
            if self.handlers_under_way or any(
                catches(awaited.types, type(exception))
                for awaited in self.caught
                if not awaited.of_manager
            ):
                self.raise_now(type(exception), *exception.args)
                raise core.NothingFollows
        if not self.loop_bodies or self.derived:
            problem.raised_by_program = True
            raise problem
        self.report(problem, self.place)
        self.unreachable = True
        raise core.NothingFollows

    def outcome(self, run: Callable[[], Result]) -> Result:
        """What a function of a library gives for what is known by value. Where it
        raises, the program does."""
        try:
            return run()
        except Exception as error:
            problem = core.Unsupported(f"this raises {type(error).__name__}: {error}")
            self.raises(problem, error)

    def report_at(self, problem: core.Unsupported, span: ir.Span | None) -> None:
        """Keep a problem found after the syntax is gone, at the place a statement came
        from."""
        self.is_refused = True
        self.problems.append(self.problem_at(problem, span))

    def problem_at(self, problem: core.Unsupported, span: ir.Span | None) -> Problem:
        """A problem at the place that a statement came from."""
        if span is None:
            span = self.main_span
        if span.filename.startswith(composed.OF_DERIVATIVE):
            user = of_user(self.frame.source)
            span = user.span_of(user.node)
        lines = (
            of_user(self.frame.source).lines
            if span.filename == of_user(self.frame.source).filename
            else ()
        )
        text = lines[span.line - 1] if 0 < span.line <= len(lines) else ""
        end = span.end_column if span.end_line == span.line else len(text)
        found = Problem(
            problem.reason,
            problem.advice,
            span.filename,
            span.line,
            span.column,
            max(end, span.column + 1),
            text or span.statement,
        )
        return of_program(found, self._trails.get(span, ()))

    def raise_problems(self) -> None:
        """Raise UnsupportedError if there were problems, as RefusedAsCalls where calls
        are kept that might be written out."""
        if any(mine is p for mine in self.problems for p in self.refused_anyway):
            raise UnsupportedError(tuple(self.problems))
        if self.problems and self.procedures.kept:
            kept = frozenset(self.procedures.kept)
            raise core.RefusedAsCalls(tuple(self.problems), kept)
        # what is known may have been told by calls that couldn't be kept
        tried = frozenset(self.procedures.written_out) - self.options.written_out
        if self.problems and tried and self.facts.found_in_calls:
            raise core.RefusedAsCalls(tuple(self.problems), tried)
        if self.problems:
            raise UnsupportedError(tuple(self.problems))
