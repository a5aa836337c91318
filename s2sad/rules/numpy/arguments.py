"""Kinds of default values of parameters, which a call leaves out."""

from __future__ import annotations

from s2sad.ir.kinds import Known, Scalar

NOT_GIVEN = Known(None)
IS_FALSE, IS_TRUE = Known(False), Known(True)
LAST, ZERO, FIRST = Scalar("int", -1), Scalar("int", 0), Scalar("int", 1)
TWO, FIFTY, UNIT = Scalar("int", 2), Scalar("int", 50), Scalar("float", 1.0)
CONSTANT, XY = Known("constant"), Known("xy")
