"""The text of constants, docstrings and comments."""

import inspect
import math
import textwrap
import warnings
from collections.abc import Sequence

with warnings.catch_warnings():
    # astor asks for node classes that Python 3.12 deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
from s2sad.codegen.layout.marks import WIDTH


def is_negative(value: object) -> bool:
    if isinstance(value, float):
        return math.copysign(1.0, value) < 0
    return isinstance(value, int) and value < 0


def number_literal(value: int | float | complex) -> str:
    """The literal of a number; its sign stands in front."""
    if isinstance(value, bool):
        return repr(value)
    if isinstance(value, int):
        if abs(value) >= _LARGEST_DECIMAL:
            return hex(value)  # Python writes and reads only so many decimal digits
        return int.__repr__(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value!r} has no literal")
        return float.__repr__(value).replace("e+", "e")
    if value.real or not math.isfinite(value.imag) or is_negative(value.imag):
        raise ValueError(f"{value!r} has no literal")
    return complex.__repr__(complex(value))


_LARGEST_DECIMAL = 10**600


def escaped(value: str | bytes, quote: str) -> str:
    """What stands between quotes ``quote`` in the literal of ``value``."""
    text = repr('"' + value if isinstance(value, str) else b'"' + value)
    body = text[text.index('"') + 1 : -1].replace("\\'", "'")
    return body.replace(quote[0], "\\" + quote[0])


def string_literal(value: str | bytes, quotes: Sequence[str]) -> str:
    """The literal of ``value`` in that of ``quotes`` that needs the fewest escapes."""
    text = value if isinstance(value, str) else value.decode("latin-1")
    quote = min(quotes, key=text.count)
    prefix = "" if isinstance(value, str) else "b"
    return prefix + quote + escaped(value, quote) + quote


def docstring_lines(text: str, indent: int) -> list[str] | None:
    """Lines of a docstring at ``indent``; None if it can't be written as is."""
    text = inspect.cleandoc("\n".join(map(str.rstrip, text.split("\n"))))
    text = text.strip()
    if not all(char.isprintable() or char == "\n" for char in text):
        return None
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    text = (" " if text[:1] in ('"', "") else "") + text
    text += " " if text.endswith('"') else ""
    pad = " " * indent
    if "\n" not in text and indent + len(text) + 6 <= WIDTH:
        return [pad + '"""' + text + '"""']
    lines: list[str] = []
    # ruff format leaves closing quotes on a single line, however long that gets.
    width = WIDTH if "\n" in text else WIDTH - 3
    for line in text.split("\n"):
        margin = pad + line[: len(line) - len(line.lstrip())]
        first = pad + '"""' + " " * text.startswith(" ")
        lines += textwrap.wrap(
            line.strip(),
            width,
            initial_indent=margin if lines else first,
            subsequent_indent=margin,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return [*lines, pad + '"""']


def comment_lines(text: str, indent: int) -> list[str]:
    """Lines of a comment at ``indent``, each cut with an ellipsis if too long."""
    lines = []
    for line in text.splitlines() or [""]:
        line = "".join([c if c.isprintable() else " " for c in line])
        line = (" " * indent + "# " + line).rstrip()
        if len(line) > WIDTH:  # far to the right nothing but the sign may be left
            line = line[: max(WIDTH - 3, indent + 2)].rstrip() + "..."
        lines.append(line)
    return lines
