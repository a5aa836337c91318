"""Kinds of default values of parameters, which a call leaves out."""

from __future__ import annotations

from s2sad import ir

NOT_GIVEN = ir.Known(None)
IS_FALSE, IS_TRUE = ir.Known(False), ir.Known(True)
LAST, ZERO, FIRST = ir.Scalar("int", -1), ir.Scalar("int", 0), ir.Scalar("int", 1)
TWO, FIFTY, UNIT = ir.Scalar("int", 2), ir.Scalar("int", 50), ir.Scalar("float", 1.0)
CONSTANT, XY = ir.Known("constant"), ir.Known("xy")
