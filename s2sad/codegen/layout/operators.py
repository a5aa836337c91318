"""Operators: their symbols, how tightly they bind, and the blanks around them."""

import ast
import warnings
from types import EllipsisType
from typing import Any

from s2sad.codegen.layout.literals import is_negative

with warnings.catch_warnings():
    # astor asks for node classes that Python 3.12 deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
    from astor.op_util import Precedence
    from astor.op_util import precedence_data as precedence_data
    from astor.op_util import symbol_data as symbol_data

# Levels of precedence, those of astor where it has one. An expression is put in
# parentheses when its own level is below the one that its place asks for.
BARE = 0  # a tuple or a yield needs no parentheses here
TEST = Precedence.Lambda
OR = Precedence.Or
COMPARE = Precedence.Eq
BIT_OR = Precedence.BitOr
POWER_RIGHT = Precedence.PowRHS
UNARY = Precedence.USub
AWAIT = Precedence.Await
ATOM = Precedence.highest


def is_simple_operand(node: Any, signed: bool = True) -> bool:
    """Whether ``**`` stands next to ``node`` without blanks."""
    while True:
        kind = type(node)
        if kind is ast.Attribute:
            node = node.value
        elif kind is ast.UnaryOp and signed and type(node.op) is not ast.Not:
            node = node.operand
        elif kind is ast.Constant:
            simple = not isinstance(node.value, (str, bytes, EllipsisType))
            return simple and (signed or not is_negative(node.value))
        else:
            return kind is ast.Name
        signed = signed and kind is not ast.Attribute


def is_simple_bound(node: ast.expr | None) -> bool:
    """Whether the colon of a slice stands next to ``node`` without blanks."""
    while type(node) is ast.UnaryOp and type(node.op) is not ast.Not:
        node = node.operand
    return node is None or type(node) is ast.Name or type(node) is ast.Constant
