"""Expressions to the parts of a logical line."""

import ast
from collections.abc import Iterator, Sequence

from s2sad.codegen.layout import literals, marks, operators, writer


class QuotesClash(ValueError):
    """There are no quotes left for an f-string."""


class Expressions(writer.Writer):
    """The visitors of expressions, each given the level of precedence of its place."""

    def visit_Name(self, node: ast.Name, level: int) -> None:
        self.result.append(node.id)

    def visit_Constant(self, node: ast.Constant, level: int) -> None:
        value = node.value
        if isinstance(value, (str, bytes)):
            self.result.append(literals.string_literal(value, self.quotes))
        elif value is None or value is Ellipsis:
            self.result.append("..." if value is Ellipsis else "None")
        elif isinstance(value, (int, float, complex)):
            text = literals.number_literal(value)
            wrapped = level > operators.UNARY and text[0] == "-"
            self.result.append(f"({text})" if wrapped else text)
        else:
            raise ValueError(f"{value!r} has no literal")

    def visit_JoinedStr(self, node: ast.JoinedStr, level: int) -> None:
        fixed = "".join(_fixed_text(node))
        ranks = sorted(self.quotes, key=fixed.count)
        for quote in (*ranks, *(quote * 3 for quote in ranks)):
            text = self.joined(node, quote)
            if text is not None:
                self.result.append(f"f{quote}{text}{quote}")
                return
        raise QuotesClash("the f-string holds quotes that Python 3.11 can't have there")

    def joined(self, node: ast.JoinedStr, quote: str) -> str | None:
        """What stands between the quotes of an f-string; None if they clash."""
        pieces = []
        for value in node.values:
            if type(value) is ast.Constant:
                text = literals.escaped(str(value.value), quote)
                pieces.append(text.replace("{", "{{").replace("}", "}}"))
                continue
            assert isinstance(value, ast.FormattedValue)
            inner = type(self)()
            inner.quotes = tuple([q for q in ('"', "'") if q != quote])
            try:
                inner.put(value.value, operators.TEST)
            except QuotesClash:
                return None
            text = "".join(inner.result)
            if "\\" in text or quote in text:
                return None
            if "lambda" in text:
                text = f"({text})"
            edge = " " if text[0] == "{" else ""
            text = edge + text + (" " if edge and text[-1] == "}" else "")
            if value.conversion != -1:
                text += f"!{chr(value.conversion)}"
            if value.format_spec is not None:
                assert isinstance(value.format_spec, ast.JoinedStr)
                spec = self.joined(value.format_spec, quote)
                if spec is None:
                    return None
                text += f":{spec}"
            pieces.append("{" + text + "}")
        return "".join(pieces)

    def visit_Attribute(self, node: ast.Attribute, level: int) -> None:
        value = node.value
        number = type(value) is ast.Constant and type(value.value) in (int, float)
        self.open(number)
        self.put(value, operators.BARE if number else operators.ATOM)
        self.close(number)
        self.result.append("." + node.attr)

    def visit_Subscript(self, node: ast.Subscript, level: int) -> None:
        self.put(node.value, operators.ATOM)
        index = node.slice
        self.result += ("[", marks.INDEX)
        if type(index) is ast.Tuple and index.elts:
            self.comma_list(index.elts)
            if len(index.elts) == 1:
                self.result.append(",")
        else:
            self.put(index, operators.TEST)
        self.result += (marks.END, "]")

    def visit_Slice(self, node: ast.Slice, level: int) -> None:
        result = self.result
        lower, upper, step = node.lower, node.upper, node.step
        blank = "" if all(map(operators.is_simple_bound, (lower, upper, step))) else " "
        place = marks.LINE if blank else marks.JOINT
        result.append(marks.SLICE)
        if lower:
            self.put(lower, operators.TEST)
            result.append(place)
        result.append(":")
        if upper:
            result.append(blank)
            self.put(upper, operators.TEST)
        if step:
            result += (place, ":" + blank) if upper else (":" + blank,)
            self.put(step, operators.TEST)
        result.append(marks.END)

    def visit_Call(self, node: ast.Call, level: int) -> None:
        self.put(node.func, operators.ATOM)
        self.result.append("(")
        args = node.args
        if len(args) == 1 and type(args[0]) is ast.GeneratorExp and not node.keywords:
            self.comprehension(args[0].generators, args[0].elt)
        else:
            self.call_arguments(args, node.keywords)
        self.result.append(")")

    def visit_BinOp(self, node: ast.BinOp, level: int) -> None:
        own = operators.precedence_data[type(node.op)]
        wrapped = own < level
        self.open(wrapped)
        result = self.result
        result.append(marks.CHAIN)
        if type(node.op) is ast.Pow:
            self.power(node, own)
        else:
            rights: list[ast.BinOp] = []
            left: ast.expr = node
            while (
                type(left) is ast.BinOp
                and operators.precedence_data[type(left.op)] == own
            ):
                rights.append(left)
                left = left.left
            self.put(left, own + 1)
            for part in reversed(rights):
                result.append(marks.LINE)
                result.append(operators.symbol_data[type(part.op)] + " ")
                self.put(part.right, own + 1)
        result.append(marks.END)
        self.close(wrapped)

    def power(self, node: ast.BinOp, own: int) -> None:
        self.put(node.left, own + 1)
        right = node.right
        chained = type(right) is ast.BinOp and type(right.op) is ast.Pow
        neighbour = right.left if chained else right  # type: ignore[attr-defined]
        if operators.is_simple_operand(
            node.left, False
        ) and operators.is_simple_operand(neighbour):
            self.result.append(marks.POWER)
        else:
            self.result += (marks.LINE, "** ")
        if chained:
            self.power(right, own)  # type: ignore[arg-type]
        else:
            self.put(right, operators.POWER_RIGHT)

    def visit_UnaryOp(self, node: ast.UnaryOp, level: int) -> None:
        own = operators.precedence_data[type(node.op)]
        wrapped = own < level
        self.open(wrapped)
        symbol = operators.symbol_data[type(node.op)]
        self.result.append("not " if symbol == "not" else symbol)
        operand = node.operand
        power = type(operand) is ast.BinOp and type(operand.op) is ast.Pow
        # -(x**2) is what -x**2 means
        self.put(operand, operators.ATOM if power else own)
        self.close(wrapped)

    def visit_BoolOp(self, node: ast.BoolOp, level: int) -> None:
        own = operators.precedence_data[type(node.op)]
        self.open(own < level)
        self.result.append(marks.CHAIN)
        self.alternatives(node, own)
        self.result.append(marks.END)
        self.close(own < level)

    def alternatives(self, node: ast.BoolOp, own: int) -> None:
        for index, value in enumerate(node.values):
            if index:
                self.result += (marks.LINE, operators.symbol_data[type(node.op)] + " ")
            inner = (
                operators.precedence_data[type(value.op)]
                if type(value) is ast.BoolOp
                else 0
            )
            if inner > own:  # ``and`` within ``or`` breaks with it
                self.alternatives(value, inner)  # type: ignore[arg-type]
            else:
                self.put(value, own + 1)

    def visit_Compare(self, node: ast.Compare, level: int) -> None:
        self.open(level > operators.COMPARE)
        self.result.append(marks.CHAIN)
        self.put(node.left, operators.COMPARE + 1)
        for op, comparator in zip(node.ops, node.comparators):
            self.result += (marks.LINE, operators.symbol_data[type(op)] + " ")
            self.put(comparator, operators.COMPARE + 1)
        self.result.append(marks.END)
        self.close(level > operators.COMPARE)

    def visit_IfExp(self, node: ast.IfExp, level: int) -> None:
        self.open(level > operators.TEST)
        result = self.result
        result.append(marks.CHAIN)
        self.put(node.body, operators.OR)
        while True:
            result += (marks.LINE, "if ")
            self.put(node.test, operators.OR)
            result += (marks.LINE, "else ")
            if type(node.orelse) is not ast.IfExp:
                break
            node = node.orelse
            self.put(node.body, operators.OR)
        self.put(node.orelse, operators.TEST)
        result.append(marks.END)
        self.close(level > operators.TEST)

    def visit_Lambda(self, node: ast.Lambda, level: int) -> None:
        self.open(level > operators.TEST)
        self.result.append("lambda")
        count = len(self.result)
        self.arguments(node.args, " ")
        if len(self.result) > count:
            self.result.insert(count, " ")
        self.result.append(": ")
        self.optional(node.body, operators.TEST)
        self.close(level > operators.TEST)

    def visit_NamedExpr(self, node: ast.NamedExpr, level: int) -> None:
        self.open(True)
        self.named(node)
        self.close(True)

    def named(self, node: ast.NamedExpr) -> None:
        self.put(node.target, operators.ATOM)
        self.result.append(" := ")
        self.put(node.value, operators.TEST)

    def visit_Starred(self, node: ast.Starred, level: int) -> None:
        self.result.append("*")
        self.put(node.value, operators.BIT_OR)

    def visit_Await(self, node: ast.Await, level: int) -> None:
        self.open(level > operators.AWAIT)
        self.result.append("await ")
        self.put(node.value, operators.ATOM)
        self.close(level > operators.AWAIT)

    def visit_Yield(self, node: ast.Yield, level: int) -> None:
        self.open(level > operators.BARE)
        self.result.append("yield " if node.value else "yield")
        if node.value:
            self.put(node.value, operators.BARE)
        self.close(level > operators.BARE)

    def visit_YieldFrom(self, node: ast.YieldFrom, level: int) -> None:
        self.open(level > operators.BARE)
        self.result += ("yield ", "from ")
        self.put(node.value, operators.TEST)
        self.close(level > operators.BARE)

    def visit_Tuple(self, node: ast.Tuple, level: int) -> None:
        unpacked = any(type(item) is ast.Starred for item in node.elts)
        read = type(node.ctx) is ast.Load
        bare = (
            level == operators.BARE and len(node.elts) > 1 and not (unpacked and read)
        )
        alone = len(node.elts) == 1
        self.result += (
            (marks.SEQUENCE,) if bare else ("(", marks.OPEN if alone else marks.ITEMS)
        )
        self.comma_list(node.elts)
        if alone:
            self.result.append(",")
        self.result += (marks.END,) if bare else (marks.END, ")")

    def visit_List(self, node: ast.List, level: int) -> None:
        self.result += ("[", marks.ITEMS)
        self.comma_list(node.elts)
        self.result += (marks.END, "]")

    def visit_Set(self, node: ast.Set, level: int) -> None:
        self.result += ("{", marks.ITEMS)
        self.comma_list(node.elts)
        self.result += (marks.END, "}") if node.elts else ("*()", marks.END, "}")

    def visit_Dict(self, node: ast.Dict, level: int) -> None:
        self.result += ("{", marks.ITEMS)
        for index, (key, value) in enumerate(zip(node.keys, node.values)):
            self.result += (",", marks.LINE) if index else ()
            if key is None:
                self.result.append("**")
            else:
                self.put(key, operators.TEST)
                self.result.append(": ")
            self.result.append(marks.VALUE)
            self.put(value, operators.BIT_OR if key is None else operators.TEST)
            self.result.append(marks.END)
        self.result += (marks.END, "}")

    def visit_ListComp(self, node: ast.ListComp, level: int) -> None:
        self.result.append("[")
        self.comprehension(node.generators, node.elt)
        self.result.append("]")

    def visit_SetComp(self, node: ast.SetComp, level: int) -> None:
        self.result.append("{")
        self.comprehension(node.generators, node.elt)
        self.result.append("}")

    def visit_GeneratorExp(self, node: ast.GeneratorExp, level: int) -> None:
        self.result.append("(")
        self.comprehension(node.generators, node.elt)
        self.result.append(")")

    def visit_DictComp(self, node: ast.DictComp, level: int) -> None:
        self.result.append("{")
        self.comprehension(node.generators, node.key, node.value)
        self.result.append("}")

    def comprehension(
        self, generators: Sequence[ast.comprehension], *elements: ast.expr
    ) -> None:
        result = self.result
        result.append(marks.OPEN)
        for index, element in enumerate(elements):
            result += (": ",) if index else ()
            self.put(element, operators.TEST)
        for generator in generators:
            result += (marks.LINE, "async for " if generator.is_async else "for ")
            self.put(generator.target, operators.BARE)
            result.append(" in ")
            result.append(marks.VALUE)
            self.put(generator.iter, operators.OR)
            result.append(marks.END)
            for condition in generator.ifs:
                result += (marks.LINE, "if ")
                self.put(condition, operators.OR)
        result.append(marks.END)


def _fixed_text(node: ast.JoinedStr) -> Iterator[str]:
    """The constant parts of an f-string."""
    for value in node.values:
        if isinstance(value, ast.Constant):
            yield str(value.value)
        elif isinstance(value, ast.FormattedValue) and value.format_spec is not None:
            yield from _fixed_text(value.format_spec)  # type: ignore[arg-type]
