"""What is asked of the compiler, and what it gives: requests, derivatives as text."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from s2sad import ir
from s2sad.codegen.numba.options import NumbaOptions
from s2sad.codegen.places import Spans
from s2sad.codegen.python.spelling import Spelling
from s2sad.frontend.specialise import Specialised, core
from s2sad.source.kinds.external_data import DataForm
from s2sad.source.text.source_function import SourceFunction


@dataclass(frozen=True)
class NumbaText:
    """What Numba compiles of a derivative."""

    module: str
    """The text of the module."""
    borders: str
    """The text of the borders; "" where there are none."""
    entries: tuple[str, ...]
    """The names of the derivative's programs: borders, or functions of the module."""
    cores: tuple[str, ...]
    """For each of them, the function of the module that computes it."""
    options: NumbaOptions
    functions: tuple[str, ...]
    """The names of all functions of the module."""
    spans: tuple[tuple[int, ir.Span], ...]
    """Lines of the module, counted from 1, and where they come from."""
    border_spans: Spans
    """Where the statements of the borders come from."""
    kept: frozenset[Hashable] = frozenset()
    """The definitions of functions whose calls are calls in it."""


@dataclass(frozen=True)
class Derivative:
    """A derivative as text, with all that it needs to run."""

    name: str
    text: str
    spelling: Spelling
    reads: tuple[core.Read, ...]
    """What compilation read of the user's module; dispatch checks that it is
    unchanged."""
    source: SourceFunction
    kinds: Mapping[str, ir.Kind]
    """The kinds it was compiled for, with the axes that were assumed to be equal."""
    free_lengths: frozenset[Hashable] = frozenset()
    """The axes of lists among the arguments of which it makes no difference whether
    they are of length one."""
    data_form: DataForm = "open"
    """How lists, tuples and dicts of the module are held."""
    repeatable: bool = True
    """Whether running the function once more shows: it neither prints nor draws."""
    numba: NumbaText | None = None
    """What Numba compiles of it; None for the NumPy backend."""
    checked: frozenset[str] = frozenset()
    """The arguments that it checks itself, before all else."""
    spans: Spans = ()
    """Where the statements of the text come from."""


@dataclass(frozen=True)
class Request:
    """Which derivative of a function to compile."""

    wrt: tuple[str, ...]
    single: bool = True
    """The bare gradient instead of a tuple."""
    value: bool = False
    """The value is returned too."""
    seeded: bool = False
    """The gradient takes the cotangent of the result as its last parameter,
    ``gradient``."""
    has_aux: bool = False
    """The function returns a pair, of which the second isn't differentiated."""
    numba: NumbaOptions | None = None
    """What is asked of Numba; None for the NumPy backend."""
    written_out: frozenset[Hashable] = frozenset()
    """The definitions of functions whose calls aren't kept, for that is refused."""
    data_lists: core.DataLists = field(default_factory=core.DataLists, compare=False)


@dataclass(frozen=True)
class SpecialisedProgram:
    """A function as its derivatives start from it."""

    function: ir.Function
    specialised: Specialised
    spelling: Spelling
