"""A pass applied to a program written as text."""

from __future__ import annotations

from s2sad.analysis.passes.verify import verify
from s2sad.ir.text import block_lines
from tests.support.ir_text import program


def after(rewrite, text, kinds=None):
    """The lines of the rewritten program, which is verified."""
    function = rewrite(program(text, kinds))
    verify(function, rewrite.__name__)
    return [line.split("  #")[0] for line in block_lines(function.body)]


def body(text):
    """The lines of a program as it is."""
    return [line.split("  #")[0] for line in block_lines(program(text).body)]
