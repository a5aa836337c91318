"""``s2sad transpile``: derivatives as a file that needs NumPy alone."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from s2sad.cli.common import clear_failures, fail, signature_option, wrt_option
from s2sad.errors import one_line

if TYPE_CHECKING:
    from s2sad.source.static.module import StaticModule

_WIDTH = 88


@click.command(
    "transpile",
    short_help="Write the derivatives of a module to a file that needs NumPy alone.",
    epilog="""\b
Examples:
  s2sad transpile model.py -o model_gradients.py
  s2sad transpile model.py loss penalty -o - --wrt w,b
  s2sad transpile model.py -o model_gradients.py --check""",
)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.py")
@click.argument("names", nargs=-1, metavar="[FUNCTION]...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="OUT.py",
    help="File to write; `-` prints.",
)
@signature_option(multiple=True)
@wrt_option
@click.option(
    "--value-and-grad", is_flag=True, help="Write <name>_value_and_grad only."
)
@click.option("--grad", is_flag=True, help="Write <name>_grad only.")
@click.option(
    "--backend",
    type=click.Choice(["numpy", "numba"]),
    default="numpy",
    help="What the file is for: NumPy alone, or functions under numba.njit.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; exit with 1 if OUT.py isn't up to date.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Replace OUT.py also where s2sad didn't make it.",
)
def command(
    file: Path,
    names: tuple[str, ...],
    output: Path,
    signatures: tuple[str, ...],
    wrt: tuple[str, ...],
    value_and_grad: bool,
    grad: bool,
    backend: str,
    check: bool,
    force: bool,
) -> None:
    """Write the gradients of functions in FILE.py to OUT.py.

    These are the functions decorated with @differentiate and those that are named; each
    becomes <name>_value_and_grad and <name>_grad. --wrt is for those that are named.
    FILE.py is read, never executed. OUT.py is replaced if s2sad made it: its first line
    says so. Other files want --force, and a module that was read is never written over.
    """
    from s2sad.cli.output_file import write_output
    from s2sad.source.static.imports import libraries_only
    from s2sad.source.static.module import static_functions
    from s2sad.source.static.request import decorated_functions

    names = tuple(dict.fromkeys(names))
    options = _Options(
        file, output, names, signatures, wrt, value_and_grad, grad, backend
    )
    with clear_failures(f"transpiling {one_line(file)}"), libraries_only(file):
        module = static_functions(file)
        text = options.text(module)
        if check:
            sys.exit(0 if _is_up_to_date(output, text) else 1)
        write_output(output, text, module, force)
        for reason in decorated_functions(module)[1]:
            click.echo(f"s2sad: {reason}", err=True)


class _Options:
    """One call of the command."""

    def __init__(
        self,
        file: Path,
        output: Path,
        names: tuple[str, ...],
        signatures: tuple[str, ...],
        wrt: tuple[str, ...],
        value_and_grad: bool,
        grad: bool,
        backend: str = "numpy",
    ) -> None:
        self.backend = backend
        self.file, self.output, self.names = file, output, names
        self.signatures = tuple(map(_normal_signature, signatures))
        self.wrt = wrt
        self.value_and_grad, self.grad = value_and_grad, grad

    def text(self, module: StaticModule) -> str:
        """The text of the file. Raises ``S2sadError``."""
        from s2sad.codegen.numba.options import NumbaOptions
        from s2sad.transpile.files import Transpilation, transpiled

        both = self.value_and_grad == self.grad
        request = Transpilation(
            module,
            names=self.names,
            signatures=self.signatures,
            wrt=self.wrt,
            gradient=both or self.grad,
            value_and_gradient=both or self.value_and_grad,
            numba=NumbaOptions() if self.backend == "numba" else None,
        )
        return transpiled(request, self.header())

    def header(self) -> list[str]:
        """The comment that tells where the file comes from and how to renew it."""
        from s2sad.cli.output_file import MADE_BY, is_open_stream

        relative = _relative(self.file, self.output)
        place = ", in this folder, with" if relative is not None else " with"
        words = ["s2sad", "transpile", relative or self.file.name, *self.names]
        if words[2].startswith("-"):
            words[2] = f"./{words[2]}"
        words += ["-o", "-" if is_open_stream(self.output) else self.output.name]
        if self.wrt:
            words += ["--wrt", ",".join(self.wrt)]
        words += ["--value-and-grad"] * self.value_and_grad + ["--grad"] * self.grad
        if self.backend != "numpy":
            words += ["--backend", self.backend]
        signatures = [["--signature", signature] for signature in self.signatures]
        return [
            f"{MADE_BY}{one_line(self.file.name)}; don't edit. Renew it{place}",
            "",
            *_wrapped([words, *signatures]),
            "",
        ]


def _relative(file: Path, output: Path) -> str | None:
    """The path of the module from the folder of the output; None where that would tell
    how the disk of this machine is laid out."""
    from s2sad.cli.output_file import is_open_stream

    source = Path(os.path.abspath(file))
    if is_open_stream(output):
        return source.name
    folder = Path(os.path.abspath(output)).parent
    try:
        common = Path(os.path.commonpath([source.parent, folder]))
    except ValueError:  # two drives
        return None
    if common == Path(common.anchor):
        return source.name if source.parent == folder else None
    return Path(os.path.relpath(source, folder)).as_posix()


_STRINGS = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")


def _normal_signature(text: str) -> str:
    """A signature with single blanks, so that layout doesn't show in the output."""
    parts = _STRINGS.split(text)
    parts[::2] = (re.sub(r"\s+", " ", part) for part in parts[::2])
    return "".join(parts).strip()


def _wrapped(groups: list[list[str]]) -> list[str]:
    """A shell command in lines that fit behind ``# ``: one, or one for each group.

    White space in a signature is free, so that one that is too long is broken between
    its parameters.
    """
    room = _WIDTH - len("# ") - len(" \\")
    groups = [[_quoted(word) for word in group] for group in groups]
    whole = " " * 4 + " ".join(word for group in groups for word in group)
    if len(whole) <= room:
        return [whole]
    lines: list[str] = []
    for group in groups:
        line = " " * (8 if lines else 4) + group[0]
        if lines:
            lines[-1] += " \\"
        for word in group[1:]:
            broken = group[0] == "--signature" and len(word) + 9 > room
            pieces = _pieces(word) if broken else [word]
            if len(line) + 1 + len(pieces[0]) > room:
                lines.append(f"{line} \\")
                line = " " * 7
            line += f" {pieces[0]}"
            for piece in pieces[1:]:
                if len(line) + 1 + len(piece) > room:
                    lines.append(line)
                    line = " " * 11
                line += f" {piece}"
        lines.append(line)
    return lines


_PART = re.compile(r"""'(?:[^'\\]|\\.)*'|\[[^\[\]]*\]|(?<=,)(?P<blank> )""")


def _pieces(word: str) -> list[str]:
    """A quoted word, split at the blanks outside of strings and of axes."""
    inner = word[1:-1]
    ends = [m.start() for m in _PART.finditer(inner) if m.lastgroup == "blank"]
    starts = [0, *(end + 1 for end in ends)]
    pieces = [inner[a:b] for a, b in zip(starts, [*ends, None])]
    pieces[0] = word[0] + pieces[0]
    pieces[-1] += word[-1]
    return pieces


def _quoted(word: str) -> str:
    """A word as a shell reads it, in one line."""
    if not word.isprintable():
        return "$'" + "".join(map(_escaped, word)) + "'"
    plain = shlex.quote(word)
    if plain == word or set(word) & set('"$`\\!'):
        return plain
    return f'"{word}"'


def _escaped(character: str) -> str:
    if character in "'\\":
        return f"\\{character}"
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(character))


def _is_up_to_date(output: Path, text: str) -> bool:
    if str(output) == "-":
        fail("--check compares with a file; `-o -` is none")
    if not output.is_file():
        click.echo(f"{output} doesn't exist", err=True)
        return False
    if output.read_bytes() != text.encode():
        click.echo(f"{output} isn't up to date", err=True)
        return False
    return True
