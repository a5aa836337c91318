"""What the commands share: how functions are named, and how failures are told."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from s2sad.errors import S2sadError, one_line


class Target(click.ParamType):
    """``FILE.py::function``, or ``FILE.py::Class.method``."""

    name = "target"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Path, str]:
        path, separator, function = str(value).rpartition("::")
        named = all(part.isidentifier() for part in function.split("."))
        if not separator or not path or not named:
            self.fail(f"{value!r} is not of the form FILE.py::function", param, ctx)
        return Path(path), function


class Names(click.ParamType):
    """Names with commas between them."""

    name = "names"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in str(value).split(","))
        if not all(name.isidentifier() for name in names):
            self.fail(f"{value!r} are not names of parameters", param, ctx)
        return names


def wrt_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--wrt``."""
    return click.option(
        "--wrt",
        type=Names(),
        default=(),
        metavar="NAME,...",
        help="Parameters to differentiate with respect to.  [default: what "
        "@differentiate(wrt=...) says, else the first]",
    )(command)


def signature_option(multiple: bool = False) -> Callable[..., Any]:
    """``--signature``."""
    several = " May be repeated." if multiple else ""
    return click.option(
        "--signature",
        "signatures" if multiple else "signature",
        multiple=multiple,
        metavar="TEXT",
        help='Kinds of the parameters, as in "loss(w: float64[:], b: float)"; they '
        f"win over annotations.{several}",
    )


@contextmanager
def clear_failures(doing: str) -> Iterator[None]:
    """Tell a failure in one message on stderr and leave with status 2.

    ``S2SAD_TRACEBACK=1`` lets the exception through instead.
    """
    try:
        with warnings.catch_warnings():
            # About the user's text (invalid escapes); Python itself shows them.
            warnings.simplefilter("ignore", SyntaxWarning)
            yield
    except (S2sadError, OSError) as error:
        if os.environ.get("S2SAD_TRACEBACK"):
            raise
        if isinstance(error, BrokenPipeError):
            _leave_pipe()
        fail(_of_file(error) if isinstance(error, OSError) else str(error))
    except (click.exceptions.Exit, click.ClickException):
        raise
    except UnicodeEncodeError as error:
        if os.environ.get("S2SAD_TRACEBACK"):
            raise
        fail(f"what is to be printed has no form in {error.encoding}; use UTF-8")
    except Exception as error:
        if os.environ.get("S2SAD_TRACEBACK"):
            raise
        fail(
            f"{doing} failed inside s2sad: {type(error).__name__}: {error}\n"
            "    this is a bug of s2sad; S2SAD_TRACEBACK=1 shows where it happens"
        )


def _of_file(error: OSError) -> str:
    if error.filename is None:
        return str(error.strerror or error)
    return f"{one_line(error.filename)}: {error.strerror}"


def _leave_pipe() -> None:
    """Leave quietly where nobody reads what is printed any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(1)


def fail(message: str) -> None:
    """Print a message on stderr and leave with status 2."""
    shown = (c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in message)
    click.echo(f"s2sad: {''.join(shown)}", err=True)
    sys.exit(2)


def colour_is_wanted() -> bool:
    """True if stdout is a terminal and ``NO_COLOR`` isn't set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def print_python(text: str) -> None:
    """Print Python source, highlighted on a terminal."""
    if not colour_is_wanted():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    highlighted = Syntax("", "python", background_color="default").highlight(text)
    Console().print(highlighted, end="", soft_wrap=True)
