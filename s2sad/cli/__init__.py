"""The command line: ``s2sad show``, ``transpile``, ``check`` and ``rules``.

Commands are imported when they are called or explained, so that ``s2sad --help`` and a
mistyped option answer at once.
"""

import importlib
import importlib.metadata
import sys
from typing import Any

import click

_COMMANDS = {
    "show": "Print the source of a derivative.",
    "transpile": "Write the derivatives of a module to a file that needs NumPy alone.",
    "check": "Compare a gradient with central differences.",
    "rules": "List the functions of NumPy and SciPy that have derivatives.",
}


class _LazyGroup(click.Group):
    """A group whose commands are modules of this package, each with a ``command``."""

    def main(self, *args: Any, **keywords: Any) -> Any:
        """Run a command, without a traceback where nothing can be printed."""
        try:
            return super().main(*args, **keywords)
        except OSError as error:
            sys.stderr.write(f"s2sad: {error.strerror or error}\n")
            sys.exit(2)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(
            f"s2sad.cli.{cmd_name}"
        ).command
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _print_version(ctx: click.Context, _: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"s2sad {version()}")
        ctx.exit()


def version() -> str:
    """The version of s2sad that is installed, or that its source tree states."""
    try:
        return importlib.metadata.version("s2sad")
    except importlib.metadata.PackageNotFoundError:
        return str(getattr(importlib.import_module("s2sad"), "__version__", "unknown"))


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
def main() -> None:
    """Derivatives of Python functions, as Python source."""
