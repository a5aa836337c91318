"""``s2sad show``: the source of a derivative, from the text of a module alone."""

from pathlib import Path

import click

from s2sad.cli import common

_MODES = ("grad", "value_and_grad", "jvp", "vjp", "hvp")


@click.command(
    "show",
    short_help="Print the source of a derivative.",
    epilog="""\b
Examples:
  s2sad show model.py::loss
  s2sad show model.py::loss --mode jvp --wrt w,b
  s2sad show model.py::loss --signature "loss(w: float64[:], x: float64[:, :])" """,
)
@click.argument("target", type=common.Target(), metavar="FILE.py::FUNCTION")
@click.option(
    "--mode",
    type=click.Choice(_MODES),
    default="grad",
    show_default=True,
    help="Which derivative.",
)
@common.wrt_option
@common.signature_option()
def command(
    target: tuple[Path, str], mode: str, wrt: tuple[str, ...], signature: str | None
) -> None:
    """Print the source of the derivative of FUNCTION in FILE.py.

    The file is read, never executed: kinds of parameters come from annotations and
    --signature, and what they leave open is decided by helpers when the code runs.
    """
    from s2sad.source.static.imports import libraries_only

    path, name = target
    with common.clear_failures(f"differentiating {name}"), libraries_only(path):
        common.print_python(source_of_derivative(path, name, mode, wrt, signature))


def source_of_derivative(
    path: Path, name: str, mode: str, wrt: tuple[str, ...], signature: str | None
) -> str:
    """The source that is shown. Raises ``S2sadError``."""
    from s2sad import compiler, ir
    from s2sad.codegen.derivative import Request
    from s2sad.errors import ArgumentError
    from s2sad.source.static.module import static_functions
    from s2sad.source.static.registrations import rules_of_text
    from s2sad.source.static.request import (
        first_compiled,
        named_function,
        read_signature,
        wrt_of,
    )

    module = static_functions(path)
    function = named_function(module, name)
    parsed = read_signature(signature, module) if signature is not None else None
    if parsed is not None and parsed.name != name.rpartition(".")[2]:
        raise ArgumentError(f"the signature is one of {parsed.name}, not of {name}")
    recipe = {
        "jvp": "compile_pushforward",
        "vjp": "compile_vjp",
        "hvp": "compile_hvp",
    }.get(mode, "compile_gradient")

    def text(kinds: dict[str, ir.Kind]) -> str:
        names, single = wrt_of(function, kinds, wrt)
        request = Request(names, single=single, value=mode == "value_and_grad")
        compile_as = getattr(compiler, recipe)
        return str(compile_as(function.source, kinds, request, static=True).text)

    with rules_of_text(module):
        return first_compiled(function, parsed, text)
