"""Verification finds each way in which a pass may break a program."""

from __future__ import annotations

import operator
from dataclasses import replace

import pytest

from s2sad.analysis.passes.dump import dump
from s2sad.analysis.passes.verify import verify
from s2sad.errors import VerificationError
from s2sad.ir.kinds import FLOAT
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    Function,
    Pack,
    Return,
    Slice,
    Var,
    pack_tuple,
)
from tests.support.ir_text import program

X = Var("x")
GOOD = program(
    """
    def f(x, n):
        s = new_stack()
        y = x * x
        for i in range(n):
            save(y, "s")
            y = np.tanh(y)
        while True:
            big = y > 1.0
            if not big: break
            y = restore("s")
        return y
    """
)


def single(*statements, kinds=("x", "y")):
    return Function("f", ("x",), statements, dict.fromkeys(kinds, FLOAT))


def test_a_correct_program_passes():
    verify(GOOD)


def test_read_before_assignment_on_one_path_passes():
    verify(
        program(
            """
            def f(x, n):
                for i in range(n):
                    if i:
                        x = y * x
                    else:
                        y = x
                return x
            """
        )
    )


def test_read_that_nothing_assigns():
    wrong = program("def f(x):\n    y = x * z\n    z = x\n    return y")
    with pytest.raises(
        VerificationError, match=r"f after products: `y = mul\(x, z\).*`: reads z"
    ):
        verify(wrong, "products")


def test_test_of_a_loop_is_read_behind_its_condition():
    wrong = program(
        """
        def f(x):
            while True:
                y = x
                if not z: break
                z = x
            return x
        """
    )
    verify(wrong)  # z is assigned on the path that comes round
    body = replace(wrong.body[0], body=())
    with pytest.raises(VerificationError, match="reads z"):
        verify(replace(wrong, body=(body, wrong.body[-1])))


def test_return_is_last_and_alone():
    with pytest.raises(VerificationError, match="does not end in a return"):
        verify(replace(GOOD, body=GOOD.body[:-1]))
    with pytest.raises(VerificationError, match="a return before the end"):
        verify(single(Return(None, X), Return(None, X)))


def test_statement_occurs_once():
    line = Assign(None, Var("y"), X, FLOAT)
    with pytest.raises(VerificationError, match="occurs twice"):
        verify(single(line, line, Return(None, X)))


def test_parameters_are_distinct():
    with pytest.raises(VerificationError, match="repeats a parameter: x, x"):
        verify(Function("f", ("x", "x"), (Return(None, X),), {"x": FLOAT}))


def test_variables_have_kinds():
    line = Assign(None, Var("y"), X)
    with pytest.raises(VerificationError, match="y has no kind"):
        verify(single(line, Return(None, X), kinds=("x",)))
    verify(single(replace(line, kind=FLOAT), Return(None, X), kinds=("x",)))
    verify(single(replace(line, target=Var("x.bar")), Return(None, X)))
    with pytest.raises(VerificationError, match="the kind of y"):
        verify(replace(single(line, Return(None, X)), kinds={"x": FLOAT, "y": "float"}))


@pytest.mark.parametrize("line", ['save(x, "s")', 'x = restore("s")'])
def test_stacks_are_created(line):
    text = f"""
    def f(x, n):
        if n:
            s = new_stack()
        {line}
        return x
    """
    with pytest.raises(VerificationError, match="s is not created on every path"):
        verify(program(text))


PAIR = (0, 1)
WRONG_OPERANDS = {
    "nested": (Apply(operator.neg, (X,)), "stands where an operand belongs"),
    "number": (1.0, "1.0 is no operand"),
    "lengths": (Pack(tuple, PAIR, (X,)), "2 keys and 1 items"),
    "keys": (Pack(tuple, (1, 0), (X, X)), r"the keys of tuple\(x, x\) are \(1, 0\)"),
    "repeated": (Pack(dict, ("a", "a"), (X, X)), "repeats a key"),
    "constructor": (Pack("tuple", PAIR, (X, X)), "no type"),
    "inside": (pack_tuple(Slice(X, None, 2)), "2 is no operand"),
    "name": (Var(""), "no name"),
}


@pytest.mark.parametrize(
    ("operand", "message"), WRONG_OPERANDS.values(), ids=WRONG_OPERANDS
)
def test_operands_are_well_formed(operand, message):
    line = Assign(None, Var("y"), Apply(operator.neg, (operand,)), FLOAT)
    with pytest.raises(VerificationError, match=message):
        verify(single(line, Return(None, X)))


def test_operations_are_operands_when_folded():
    nested = Apply(operator.neg, (Apply(operator.neg, (X,)),))
    line = Assign(None, Var("y"), nested, FLOAT)
    verify(single(line, Return(None, X)), folded=True)


@pytest.mark.parametrize(
    "target", [Const(1), pack_tuple(X, X), pack_tuple(X, Const(1)), None]
)
def test_targets_are_variables(target):
    line = Assign(None, target, X, FLOAT)
    with pytest.raises(VerificationError, match="target"):
        verify(single(line, Return(None, X)))


def test_keywords_are_distinct():
    value = Apply(max, (X,), (("key", X), ("key", X)))
    line = Assign(None, Var("y"), value, FLOAT)
    with pytest.raises(VerificationError, match="keywords"):
        verify(single(line, Return(None, X)))


def test_every_pass_is_verified_when_asked(monkeypatch):
    wrong = single(Return(None, Var("y")))
    monkeypatch.setenv("S2SAD_VERIFY", "1")
    with pytest.raises(VerificationError, match="after copies"):
        dump("copies", wrong)
    monkeypatch.setenv("S2SAD_VERIFY", "0")
    dump("copies", wrong)
