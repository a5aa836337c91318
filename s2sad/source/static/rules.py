"""Rules of ``s2sad.rule`` that the text of a module registers.

Takes the call that registers, in a module that is read without being executed; puts the
rule, whose texts are text too, among those of the file.
"""

import ast
import inspect
from typing import Any, NoReturn

from s2sad import errors, ir
from s2sad.rules import registry
from s2sad.rules.registry import Rule
from s2sad.rules.result_kinds import CallRefused, elementwise_result
from s2sad.source.static import values
from s2sad.source.static.customs import StaticCustom, unknown_kind
from s2sad.source.static.module import StaticModule

FORMS: dict[Any, str] = {
    registry.elementwise: "elementwise",
    registry.without_derivative: "without_derivative",
    registry.reverse_of: "reverse_of",
    registry.forward_of: "forward_of",
    registry.batched_as: "batched_as",
    registry.register: "register",
    registry.unregister: "unregister",
}
DECORATING = ("reverse_of", "forward_of", "batched_as")
AT_MODULE_LEVEL = "register it at module level, for a function that stands there"


class RuleReader:
    """Registers the rules of one module."""

    def __init__(
        self, rules: dict[Any, Rule], module: StaticModule, surely: bool
    ) -> None:
        self.rules, self.of = rules, module
        self.surely = surely
        """False for a module that a function imports: it may never be loaded."""

    def holds(self, function: Any, certain: bool) -> bool:
        """Whether what is registered for a function holds when that is called: in its
        own module, or one that is surely loaded."""
        home = getattr(function, "__module__", None)
        return certain and (self.surely or home == self.of.name)

    def rule(
        self,
        node: ast.Call,
        form: str,
        owner: Any,
        certain: bool,
        local: frozenset[str],
        text: values.StaticFunction | None = None,
    ) -> None:
        """A call of a function of ``s2sad.rule``, for each function that it names."""
        signature = inspect.signature(getattr(registry, form))
        try:
            bound = signature.bind(
                *node.args, **{str(k.arg): k.value for k in node.keywords}
            ).arguments
        except TypeError as error:
            self.refuse(node, f"{form}: {error}", "")
        bound.update(bound.pop("properties", {}))
        if form in ("register", "unregister"):
            self.refuse(node, f"what {form} does isn't known from the text", "")
        target = bound.pop("function")
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        for one in targets:
            function = self._target(node, one, owner, local)
            if function is None:
                continue
            if not self.holds(function, certain):
                self.rules[function] = self._unclear(function, node)
                continue
            self._register(node, form, function, bound, text, owner)

    def _register(
        self,
        node: ast.Call,
        form: str,
        function: Any,
        bound: dict[str, ast.expr],
        text: values.StaticFunction | None,
        owner: Any,
    ) -> None:
        words: dict[str, Any] = {}
        for name, expression in bound.items():
            try:
                words[name] = ast.literal_eval(expression)
                continue
            except (ValueError, TypeError, SyntaxError):
                pass
            try:
                words[name] = self.of.customs.value(expression, owner)
            except values.NameNotFound:
                words[name] = values.StaticData("", "", expression, None)
            if not callable(words[name]):
                self.refuse(
                    expression,
                    f"{ast.unparse(expression)} is only known when the module runs",
                    "name a function, or write a lambda",
                )
        kind = words.get("kind")
        refused = isinstance(kind, values.StaticFunction)
        if refused:
            words["kind"] = _refusing(*unknown_kind(_name(function)))
        elif kind is None and form == "elementwise":
            if isinstance(
                function, values.StaticFunction | StaticCustom | values.StaticForeign
            ):
                words["kind"] = elementwise_kind_of_text
        if form in DECORATING and text is None:
            self.refuse(node, "the text of this rule isn't known", "use a decorator")
        try:
            made = getattr(registry, form)(function, **words)
            if text is not None:
                made(text)
        except (errors.RuleError, TypeError) as error:
            self.refuse(node, str(error), "")

    def _target(
        self, node: ast.Call, expression: ast.expr, owner: Any, local: frozenset[str]
    ) -> Any:
        """The function that a rule is for; None for one of a function's own."""
        if root_of(expression) in local or not isinstance(
            expression, ast.Name | ast.Attribute
        ):
            found: Any = None
        else:
            try:
                found = self.of.follow(expression, owner)
            except values.NameNotFound:
                found = None
        known = callable(found) or isinstance(found, values.StaticForeign)
        if found is None or not known:
            self.refuse(
                node,
                f"a rule for {ast.unparse(expression)} is registered, and which "
                "function that is isn't known from the text",
                AT_MODULE_LEVEL,
            )
        return found

    def _unclear(self, function: Any, node: ast.AST) -> Rule:
        """Stands for a rule that may hold or not."""
        reason = (
            f"the rule of {_name(function)} isn't known from the text: it is "
            f"registered in a branch or a function ({self.place(node)})"
        )
        kind = _refusing(reason, "register it at module level")
        signature = inspect.signature(lambda *args, **keywords: None)
        return Rule(function, signature, kind=kind)

    def place(self, node: Any) -> str:
        return f"{self.of.path.name}:{node.lineno}"

    def refuse(self, node: Any, reason: str, advice: str) -> NoReturn:
        raise errors.UnsupportedError([self.of.problem(node, reason, advice)])


def elementwise_kind_of_text(**kinds: ir.Kind) -> ir.Kind:
    """The kind of the result of an elementwise function that can't be asked: its axes
    are known, and its dtype isn't."""
    given = elementwise_result(_unknown_function, tuple(kinds.values()))
    known = isinstance(given, ir.Array) and given.axes
    return given if known else ir.UNKNOWN


def _unknown_function(*args: Any) -> Any:
    raise TypeError("a function that is read can't be asked for its dtype")


def _refusing(reason: str, advice: str) -> Any:
    def kind(**kinds: ir.Kind) -> ir.Kind:
        raise CallRefused(reason, advice)

    return kind


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", None) or function.name)


def root_of(expression: ast.AST) -> str | None:
    """The name that a dotted path starts with."""
    while isinstance(expression, ast.Attribute):
        expression = expression.value
    return expression.id if isinstance(expression, ast.Name) else None
