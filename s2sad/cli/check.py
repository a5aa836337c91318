"""``s2sad check``: all derivatives of a function against differences."""

import builtins
import contextlib
import copy
import importlib
import importlib.util
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from s2sad.cli.common import (
    Target,
    clear_failures,
    colour_is_wanted,
    signature_option,
    wrt_option,
)
from s2sad.errors import ArgumentError, S2sadError, UnsupportedError


@click.command(
    "check",
    short_help="Compare derivatives with differences.",
    epilog="""\b
Examples:
  s2sad check model.py::loss
  s2sad check model.py::loss --signature "loss(w: float64[d], x: float64[n, d])"
  s2sad check model.py::loss --arguments "([1.0, 2.0], 0.5)" """,
)
@click.argument("target", type=Target(), metavar="FILE.py::FUNCTION")
@wrt_option
@signature_option()
@click.option(
    "--arguments",
    metavar="TUPLE",
    help="The arguments, as a Python literal; lists of numbers become arrays.  "
    "[default: random ones of the kinds of the parameters]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="For what is drawn at random.",
)
def command(
    target: tuple[Path, str],
    wrt: tuple[str, ...],
    signature: str | None,
    arguments: str | None,
    seed: int,
) -> None:
    """Compare the derivatives of FUNCTION in FILE.py with central differences.

    Reverse and forward mode are compared with differences and with each other, second
    derivatives with differences of the gradient. What differences can't decide, at a
    kink say, is listed. This imports FILE.py, which runs what it holds. Exits with 1 if
    a derivative is wrong, or nothing could be decided.
    """
    path, name = target
    with clear_failures(f"checking {name}"):
        passed = _check(path, name, wrt, signature, arguments, seed)
    sys.exit(0 if passed else 1)


def _check(
    path: Path,
    name: str,
    wrt: tuple[str, ...],
    signature: str | None,
    arguments: str | None,
    seed: int,
) -> bool:
    from s2sad.dispatch.target import Target as Differentiable

    module = import_file(path)
    function = _function(module, name, path)
    target = Differentiable(function)
    chosen = _wrt(function, wrt)
    target.wrt_names(chosen)
    if arguments is None:
        values = _made_up(target, module, signature, seed)
    elif signature is None:
        values = _given(arguments)
    else:
        raise ArgumentError("give --arguments or --signature, not both")
    positional: tuple[Any, ...] = values
    keywords: dict[str, Any] = {}
    if arguments is None:
        positional, keywords = _as_called(target, values)
    with _quiet():
        try:
            own, words = copy.deepcopy((positional, keywords))  # which it may change
            function(*own, **words)
        except (Exception, SystemExit) as error:
            told = f"{type(error).__name__}: {error}"
            raise ArgumentError(
                f"{name} fails for these arguments itself: {told}"
            ) from error
        try:
            report, left_out = _report(function, positional, keywords, chosen, seed)
        except AssertionError as error:
            click.echo(f"s2sad: {error}", err=True)
            return False
    bound = target.bind(positional, keywords)
    _print_report(report, dict(zip(target.parameters, bound)))
    if left_out:
        click.echo(f"forward mode and second derivatives are left out: {left_out}")
    return not report.failed and bool(report.decides)


def _report(
    function: Any,
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    wrt: Any,
    seed: int,
) -> tuple[Any, str]:
    """The report, and why it is of reverse mode alone, if so."""
    from s2sad.testing.modes import grads_report

    common: Any = {"keywords": keywords, "seed": seed}
    common["wrt"] = wrt if isinstance(wrt, tuple) else (wrt,)
    try:
        return grads_report(function, positional, **common), ""
    except UnsupportedError as error:
        report = grads_report(function, positional, ("rev",), 1, **common)
        return report, error.problems[0].reason


def _as_called(
    target: Any, values: tuple[Any, ...]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Values of the parameters, in order, as arguments of a call."""
    parameters = list(target.signature.parameters.values())
    count = sum(p.kind is not p.KEYWORD_ONLY for p in parameters)
    keywords = {p.name: v for p, v in zip(parameters[count:], values[count:])}
    return values[:count], keywords


def import_file(path: Path) -> ModuleType:
    """The module of a file, imported under its own name with its folder on the path.

    Raises S2sadError if that fails.
    """
    from s2sad.source.static.imports import check_is_file, module_name

    check_is_file(path)
    name, root = module_name(path.resolve())
    sys.path.insert(0, str(root))
    try:
        if "." in name:
            return importlib.import_module(name)
        known = name if name not in sys.modules else f"_checked_{name}"
        spec = importlib.util.spec_from_file_location(known, path.resolve())
        if spec is None or spec.loader is None:
            raise S2sadError(f"{path}: this is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[known] = module
        spec.loader.exec_module(module)
        return module
    except S2sadError:
        raise
    except (Exception, SystemExit) as error:
        told = f"{type(error).__name__}: {error}"
        raise S2sadError(f"{path} can't be imported: {told}") from error


def _function(module: ModuleType, name: str, path: Path) -> Any:
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise ArgumentError(f"{path} has no function {name}") from None
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            raise ArgumentError(f"{name} in {path} raises {told}") from error
    if not callable(found):
        raise ArgumentError(f"{name} in {path} is not a function")
    return found


def _wrt(function: Any, given: tuple[str, ...]) -> Any:
    """What to differentiate with respect to: what is given, else what the decorator
    says, else the first parameter."""
    if given:
        return given
    return getattr(function, "_wrt", 0)


def _given(text: str) -> tuple[Any, ...]:
    """The arguments that a literal holds."""
    import ast

    try:
        values = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        text = text if len(text) < 80 else f"{text[:80]}..."
        raise ArgumentError(f"--arguments: {text} is not a Python literal") from None
    if not isinstance(values, tuple):
        values = (values,)
    return tuple(map(_arrays, values))


def _arrays(value: Any) -> Any:
    """Lists of numbers as arrays, also within dicts and tuples."""
    import numpy as np

    if isinstance(value, dict):
        return {key: _arrays(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_arrays, value))
    if isinstance(value, list):
        try:
            array = np.array(value)
        except ValueError:
            return [_arrays(item) for item in value]
        if array.dtype.kind in "biufc" and value:
            return array
        return [_arrays(item) for item in value]
    return value


def _made_up(
    target: Any, module: ModuleType, text: str | None, seed: int
) -> tuple[Any, ...]:
    from s2sad import ir
    from s2sad.cli.made_up import made_up_arguments
    from s2sad.source.annotations.annotations import kind_of_annotation
    from s2sad.source.annotations.signatures import parse_signature

    kinds, defaults = target.annotated_kinds()
    if text is not None:
        classes = {n: v for n, v in vars(module).items() if isinstance(v, type)}
        signature = parse_signature(text, classes)
        names = {**vars(builtins), **vars(module)}
        for name, told in signature.annotations.items():
            signature.kinds[name] = kind_of_annotation(told, name, names.__getitem__)
        if signature.name != target.name.rpartition(".")[2]:
            raise ArgumentError(
                f"the signature is one of {signature.name}, not of {target.name}"
            )
        for name, kind in signature.kinds.items():
            if name not in kinds:
                raise ArgumentError(
                    f"signature: {target.name} has no parameter {name}; its parameters "
                    f"are {', '.join(kinds)}"
                )
            kinds[name] = kind if kind != ir.UNKNOWN else kinds[name]
    with _quiet():
        return made_up_arguments(target, kinds, defaults, seed)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hold back what the user's function prints at each of its many calls."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def _print_report(report: Any, arguments: dict[str, Any]) -> None:
    """A table with a line for each number or array of the parameters."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from s2sad.optim.structure import map_structure_with_path

    leaves: dict[str, str] = {}

    def note(path: str, leaf: Any) -> Any:
        leaves[path] = _described(leaf)
        return leaf

    for name, value in arguments.items():
        map_structure_with_path(lambda p, leaf, n=name: note(n + p, leaf), value)
    table = Table(box=SIMPLE_HEAD, title=report.name, title_justify="left")
    table.add_column("parameter")
    table.add_column("elements", justify="right")
    table.add_column("max abs error", justify="right")
    table.add_column("max rel error", justify="right")
    table.add_column("verdict")
    for label, found in _grouped(report.comparisons, leaves).items():
        decided = [c for c in found if not c.undecided]
        errors = [c.error for c in decided]
        relative = [c.error / max(abs(c.expected), 1e-8) for c in decided]
        table.add_row(
            label,
            str(len(found)),
            f"{max(errors):.1e}" if errors else "",
            f"{max(relative):.1e}" if relative else "",
            _verdict(found),
        )
    terminal = colour_is_wanted()
    console = Console(
        highlight=False,
        no_color=not terminal,
        width=None if sys.stdout.isatty() else 100,
    )
    told = ", ".join(f"{name}: {text}" for name, text in leaves.items())
    console.print(table)
    console.print(f"at {told}", markup=False, soft_wrap=True)
    for comparison in (report.failed + report.undecided)[:10]:
        console.print(str(comparison), markup=False, soft_wrap=True)


def _verdict(comparisons: list[Any]) -> str:
    """One verdict for some comparisons."""
    wrong = sum(c.verdict == "wrong" for c in comparisons)
    open_ = sum(c.verdict == "undecided" for c in comparisons)
    parts = [f"[red]{wrong} differ[/red]"] if wrong else []
    if open_:
        parts.append(f"[yellow]{open_} undecided[/yellow]")
    return ", ".join(parts) or "[green]agrees[/green]"


def _grouped(comparisons: Any, leaves: dict[str, str]) -> dict[str, list[Any]]:
    """Comparisons by the number or array whose gradient they compare, and behind these
    by what else they compare."""
    found: dict[str, list[Any]] = {}
    for comparison in sorted(comparisons, key=lambda c: _section(c.what)):
        what = comparison.what
        if section := _SECTIONS[_section(what)]:
            found.setdefault(section, []).append(comparison)
            continue
        fitting = [label for label in leaves if what == label or _is_in(what, label)]
        found.setdefault(max(fitting, key=len, default=what), []).append(comparison)
    return found


_SECTIONS = ("", "forward mode", "dot product", "second derivative", "symmetry")


def _section(what: str) -> int:
    """Which part of the report a comparison belongs to."""
    if what.endswith(", forward"):
        return 1
    if what == "the dot-product test":
        return 2
    if what.startswith("second derivative"):
        return 3
    return 4 if what.startswith("symmetry") else 0


def _is_in(what: str, label: str) -> bool:
    return what.startswith(label) and what[len(label)] == "["


def _described(leaf: Any) -> str:
    shape = getattr(leaf, "shape", ())
    if shape:
        return f"{leaf.dtype}[{', '.join(map(str, shape))}]"
    return f"{leaf:.4g}" if isinstance(leaf, float) else str(leaf)
