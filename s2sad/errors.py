"""The exceptions s2sad raises, and how their messages are laid out.

>>> problem = Problem(
...     reason="`while ... else` is not supported",
...     advice="put the else branch behind the loop",
...     filename="loss.py",
...     line=3,
...     column=4,
...     end_column=9,
...     source_line="    while x > 0:",
...     trail=("train (run.py:12)",),
... )
>>> print(UnsupportedError([problem]))
loss.py:3:5: `while ... else` is not supported
    while x > 0:
    ^^^^^
    instead: put the else branch behind the loop
    called from train (run.py:12)
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Problem:
    """One reason why a function can't be differentiated."""

    reason: str
    """What is wrong, in one sentence without a full stop."""
    advice: str
    """What to write instead; "" if there is nothing to say."""
    filename: str
    line: int
    """Counted from 1; 0 if unknown."""
    column: int
    """First character of the offending text, counted from 0 as in ``Span``. Messages
    count from 1."""
    end_column: int
    """One past the last offending character on that line. Where the text runs on over
    further lines, anything not beyond ``column`` stands for the end of the line."""
    source_line: str
    """The line of source, as it is; "" if unknown."""
    trail: tuple[str, ...] = ()
    """The calls that lead to it, innermost first: ``"loss (file.py:12)"``."""
    cause: str = field(default="", compare=False)
    """What stands in the way in the text of a library, which ``reason`` speaks of as a
    whole; of several the first is told."""

    def __str__(self) -> str:
        return _render(self)


class S2sadError(Exception):
    """Base class of every exception that s2sad raises on purpose."""


class UnsupportedError(S2sadError):
    """A function holds constructs that can't be differentiated.

    All problems found in one function are reported together, each once, in the order
    of the text.
    """

    problems: tuple[Problem, ...]

    def __init__(self, problems: Iterable[Problem]) -> None:
        unique = dict.fromkeys(problems)
        self.problems = tuple(
            sorted(unique, key=lambda p: (p.filename, p.line, p.column))
        )
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n\n".join(_render(problem) for problem in self.problems)


class SourceError(S2sadError):
    """The source text of a function is missing, or isn't what the function runs."""


class ArgumentError(S2sadError, TypeError):
    """A function of s2sad was called in a wrong way."""


class OtherForms(S2sadError, TypeError):
    """Arguments aren't what a derivative was compiled for, as it finds out where it
    makes their adjoints: another one is taken."""


class RuleError(S2sadError):
    """A registered derivative rule is wrong."""


class VerificationError(S2sadError):
    """A pass wrote a program that breaks the rules of the IR: a mistake in s2sad
    itself."""


def one_line(name: object) -> str:
    """A name, as that of a file, without what would end a line or steer a terminal.

    >>> one_line("model.py"), one_line("model\\n.py")
    ('model.py', "'model\\\\n.py'")
    """
    text = str(name)
    return text if text.isprintable() else repr(text)


def _render(problem: Problem) -> str:
    """The text of one problem."""
    place = one_line(problem.filename)
    if problem.line > 0:
        place += f":{problem.line}:{problem.column + 1}"
    lines = [f"{place}: {problem.reason}"]
    source = problem.source_line.rstrip()
    text = source.lstrip()
    if text:
        indent = len(source) - len(text)
        start = min(max(problem.column - indent, 0), len(text) - 1)
        end = problem.end_column - indent
        end = len(text) if end <= start else min(end, len(text))
        lines.append(f"    {text}")
        lines.append(f"    {_blank(text[:start])}{'^' * _width(text[start:end])}")
    if problem.cause:
        lines.append(f"    because {problem.cause}")
    if problem.advice:
        lines.append(f"    instead: {problem.advice}")
    lines.extend(f"    called from {call}" for call in problem.trail)
    return "\n".join(lines)


def _blank(text: str) -> str:
    """White space that takes as much room as ``text``; tabs stay tabs."""
    return "".join(c if c == "\t" else " " * _width(c) for c in text)


def _width(text: str) -> int:
    """How many columns a terminal gives to ``text``."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(c)
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )
