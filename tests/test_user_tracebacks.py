"""What an exception shows of s2sad: a refusal none of its frames, and one that a
derivative raises when it runs the user's line."""

import functools
import linecache
import os
import subprocess
import sys
import traceback

import numpy as np
import pytest

import s2sad

OWN = os.path.dirname(s2sad.__file__) + os.sep


def raised(call):
    """The exception of a call, and the files of the frames behind the user's."""
    try:
        call()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        return error, [frame.filename for frame in frames[2:]]
    raise AssertionError("nothing was raised")


# ------------------------------------------------------------------------- refusals


def no_rule(x):
    return np.sum(np.roots(x))


def generator_of(x):
    yield x


def of_type(x):
    return np.sum(x.nope())


def through(x):
    def inner(y):
        return no_rule(y) * 2.0

    return inner(x)


def writes_global(x):
    global WRITTEN
    WRITTEN = x
    return x


def no_number(x):
    return "a"


class Model:
    @s2sad.differentiate(wrt="x")
    def loss(self, x):
        return no_rule(x)


def nested_transform(x):
    return s2sad.grad(no_rule)(x)


ENTRIES = {
    "grad": lambda f, x: s2sad.grad(f)(x),
    "value_and_grad": lambda f, x: s2sad.value_and_grad(f)(x),
    "keywords": lambda f, x: s2sad.grad(f)(x=x),
    "seeded": lambda f, x: s2sad.grad(f)(x, gradient=1.0),
    "vjp": lambda f, x: s2sad.vjp(f, x),
    "jvp": lambda f, x: s2sad.jvp(f, (x,), (x,)),
    "hvp": lambda f, x: s2sad.hvp(f)(x, x),
    "jacobian": lambda f, x: s2sad.jacobian(f)(x),
    "jacfwd": lambda f, x: s2sad.jacfwd(f)(x),
    "jacrev": lambda f, x: s2sad.jacrev(f)(x),
    "hessian": lambda f, x: s2sad.hessian(f)(x),
    "elementwise": lambda f, x: s2sad.elementwise_grad(f)(x),
    "linearize": lambda f, x: s2sad.linearize(f, x),
    "graph": lambda f, x: s2sad.graph(f)(x),
    "source_for": lambda f, x: s2sad.grad(f).source_for(x),
    "compiled": lambda f, x: s2sad.grad(f).compiled(x),
    "source": lambda f, x: s2sad.grad(f).source,
    "differentiate": lambda f, x: s2sad.differentiate(f).grad(x),
    "its hvp": lambda f, x: s2sad.differentiate(f).hvp(x, x),
    "its vjp": lambda f, x: s2sad.differentiate(f).vjp(x),
    "its jvp": lambda f, x: s2sad.differentiate(f).jvp((x,), (x,)),
    "twice": lambda f, x: s2sad.grad(s2sad.grad(f))(x),
}
REFUSED = [no_rule, of_type, through, writes_global, nested_transform]


@pytest.mark.parametrize("entry", ENTRIES)
def test_refusals_show_no_frames_of_s2sad(entry):
    for function in REFUSED:
        if entry == "graph" and function is not of_type:
            continue  # it has one of what has no derivative, too
        error, files = raised(lambda f=function: ENTRIES[entry](f, 1.5))
        assert isinstance(error, s2sad.S2sadError), (function, error)
        assert files == [__file__], (function, files)
        assert "s2sad" + os.sep not in "".join(
            line
            for line in traceback.format_exception(error)
            if line.startswith('  File "' + OWN)
        )
        assert error.__context__ is None or error.__suppress_context__


@pytest.mark.parametrize(
    "call",
    [
        lambda: s2sad.grad(no_rule, wrt="y"),
        lambda: s2sad.grad(3.0),
        lambda: s2sad.grad(np.sin)(1.0, 2.0, 3.0),
        lambda: s2sad.grad(no_rule)(),
        lambda: s2sad.grad(no_rule)(1.0, 2.0),
        lambda: s2sad.grad(no_rule)(3),
        lambda: s2sad.grad(no_rule)(1j),
        lambda: s2sad.hvp(no_rule)(),
        lambda: s2sad.jvp(no_rule, 1.0, 2.0),
        lambda: s2sad.jvp(lambda x: x * x, (1.0,), ([1.0],)),
        lambda: s2sad.vjp(lambda x: x * x, 1.0)[1]([1.0, 2.0]),
        lambda: s2sad.linearize(lambda x: x * x, 1.0)[1]([1.0, 2.0]),
        lambda: s2sad.differentiate(3.0),
        lambda: s2sad.differentiate(wrt="q")(no_rule),
        lambda: s2sad.grad(no_rule, optimise={"nope": True}),
        lambda: s2sad.grad(no_number)(1.0),
        lambda: Model().loss.grad(1.0),
        lambda: Model().loss.value_and_grad(1.0),
        lambda: Model().loss.vjp(1.0),
        lambda: Model().loss.grad.source_for(1.0),
        lambda: s2sad.grad(generator_of)(1.0),
    ],
)
def test_calls_in_a_wrong_way_show_none_either(call):
    error, files = raised(call)
    assert isinstance(error, s2sad.S2sadError | TypeError), error
    assert not [name for name in files if name.startswith(OWN)]


def test_the_users_frames_stay():
    def inner():
        return s2sad.grad(no_rule)(1.5)

    @s2sad.primitive
    def called(x):
        return inner()

    called.defvjp(lambda x: (called(x), None), lambda kept, bar: (bar,))
    error, _ = raised(lambda: s2sad.value_and_grad(lambda x: called(x))(2.0))
    names = [f.name for f in traceback.extract_tb(error.__traceback__)]
    assert names[-2:] == ["called", "inner"]


def test_what_the_user_handles_is_told_with_it():
    def call():
        try:
            raise KeyError("mine")
        except KeyError:
            s2sad.grad(no_rule)(1.5)

    error, _ = raised(call)
    assert isinstance(error.__context__, KeyError)
    assert not error.__suppress_context__


def test_all_frames_where_they_are_wanted(monkeypatch):
    monkeypatch.setenv("S2SAD_TRACEBACK", "1")
    _, files = raised(lambda: s2sad.grad(no_rule)(1.5))
    assert sum(name.startswith(OWN) for name in files) > 3


def test_mistakes_of_s2sad_keep_their_frames(monkeypatch):
    from s2sad import compiler

    monkeypatch.setattr(compiler, "compile_gradient", lambda *a, **k: [][1])
    error, files = raised(lambda: s2sad.grad(lambda x: x * x)(1.5))
    assert isinstance(error, IndexError)
    assert any(name.startswith(OWN) for name in files)
    assert not hasattr(error, "__notes__")


# ------------------------------------------------------- errors when a gradient runs


def helper(a):
    b = a * 2.0
    return np.linalg.inv(b)  # in a helper


def in_a_helper(a):
    c = helper(a)
    return np.sum(c)


def in_a_loop(a):
    total = 0.0
    for i in range(3):
        a = a * 1.0
        if i > 1:
            total = total + np.sum(np.linalg.inv(a))  # in a loop
    return total


def in_a_while(a):
    n = 0
    while n < 3:
        a = np.linalg.inv(a)  # in a while
        n = n + 1
    return np.sum(a)


def own_error(a):
    if np.sum(a) < 1.0:
        raise ValueError("too small")  # own error
    return np.sum(a * a)


def of_an_index(a):
    items = [1.0, 2.0]
    factor = items[int(a[0, 0]) + 5]  # of an index
    return factor * np.sum(a)


def of_shapes(a):
    b = np.ones(3)
    c = a @ b  # of shapes
    return np.sum(c)


def asserts(a):
    assert np.sum(a) > 1.0, "no"  # asserts
    return np.sum(a * a)


def recursive(a, n=2):
    if n == 0:
        return np.sum(np.linalg.inv(a))  # recursive
    return 2.0 * recursive(a * 1.0, n - 1)


def in_with(a):
    with np.errstate(all="ignore"):
        b = np.linalg.inv(a)  # in with
    return np.sum(b)


def in_try(a):
    try:
        b = np.linalg.inv(a)  # in try
    except KeyError:
        b = a
    return np.sum(b)


def in_closure(a):
    def inner(t):
        d = np.linalg.inv(t)  # in closure
        return np.sum(d)

    return inner(a) + 1.0


def nested_gradient(a):
    return np.sum(s2sad.grad(in_a_helper)(a))


def of_a_key(a):
    table = {"x": 1.0}
    key = "y" if np.sum(a) < 1.0 else "x"
    t = table[key]  # of a key
    return t * np.sum(a)


def reverse_sweep(a):
    b = np.sum(a)
    return s2sad.hook(b, fails)  # reverse sweep


def fails(cotangent):
    raise OverflowError("in the reverse sweep")


RUNS = {
    in_a_helper: "in a helper",
    in_a_loop: "in a loop",
    in_a_while: "in a while",
    own_error: "own error",
    of_an_index: "of an index",
    of_shapes: "of shapes",
    asserts: "asserts",
    recursive: "recursive",
    in_with: "in with",
    in_try: "in try",
    in_closure: "in closure",
    nested_gradient: "in a helper",
    of_a_key: "of a key",
    reverse_sweep: "reverse sweep",
}
ZEROS = np.zeros((2, 2))
MODES = {
    "value_and_grad": lambda f: s2sad.value_and_grad(f)(ZEROS),
    "vjp": lambda f: s2sad.vjp(f, ZEROS)[1](1.0),
    "jvp": lambda f: s2sad.jvp(f, (ZEROS,), (ZEROS,)),
}


@functools.cache
def line_of(comment):
    lines = linecache.getlines(__file__)
    return next(
        n for n, t in enumerate(lines, 1) if t.rstrip().endswith("# " + comment)
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", MODES)
def test_a_note_says_which_line_of_the_users_failed(mode):
    for function, comment in RUNS.items():
        if function is reverse_sweep and mode == "jvp":
            continue
        error, files = raised(lambda f=function: MODES[mode](f))
        assert not isinstance(error, s2sad.S2sadError), (function, error)
        assert len(error.__notes__) == 1, (function, error.__notes__)
        (note,) = error.__notes__
        line = line_of(comment)
        statement = linecache.getline(__file__, line).partition("#")[0].strip()
        assert f"{__file__}:{line}: {statement}" in note, (function, note)
        assert note.startswith("while ") and " ran, for " in note
        assert files[0] == __file__ and files[1].startswith("<s2sad "), files


def test_second_derivatives_carry_one_note():
    for call in (
        lambda: s2sad.hvp(in_a_helper)(ZEROS, ZEROS),
        lambda: s2sad.hessian(in_a_helper)(ZEROS),
        lambda: s2sad.linearize(in_a_helper, ZEROS),
    ):
        error, _ = raised(call)
        assert len(error.__notes__) == 1
        assert (
            f":{line_of('in a helper')}: return np.linalg.inv(b)" in error.__notes__[0]
        )


def test_a_jacobian_names_the_function_at_least():
    error, _ = raised(lambda: s2sad.jacfwd(helper)(ZEROS))
    assert f"for {__file__}:" in error.__notes__[0]


def test_gradients_called_by_what_a_gradient_calls_note_it_once():
    @s2sad.primitive
    def inner(a):
        return np.sum(s2sad.grad(in_a_helper)(a))

    inner.defvjp(lambda a: (inner(a), None), lambda kept, bar: (bar,))
    error, _ = raised(lambda: s2sad.value_and_grad(lambda a: inner(a))(ZEROS))
    assert len(error.__notes__) == 1
    assert f":{line_of('in a helper')}: " in error.__notes__[0]


def test_methods_and_callables_of_classes():
    class Net:
        def __init__(self, w):
            self.w = w

        @s2sad.differentiate(wrt="x")
        def loss(self, x):
            return np.sum(self.w @ x)  # in a method

    error, _ = raised(lambda: Net(np.ones((2, 3))).loss.grad(np.ones(5)))
    assert f":{line_of('in a method')}: return np.sum(self.w @ x)" in error.__notes__[0]


def test_what_numba_runs():
    pytest.importorskip("numba")
    error, _ = raised(lambda: s2sad.value_and_grad(own_error, backend="numba")(ZEROS))
    assert f":{line_of('own error')}: raise ValueError" in error.__notes__[0]


@pytest.mark.long
def test_texts_are_forgotten_with_what_runs_them():
    import gc

    from s2sad.codegen import places

    def make():
        def f(x):
            return x * x * 0.25

        return s2sad.grad(f)(2.0)

    gc.collect()
    before = len(places._KNOWN)
    make()
    namespace = {}
    text = "def f(x):\n    return x * x * 0.75\n"
    linecache.cache["<forgotten>"] = (len(text), None, text.splitlines(True), "f")
    exec(compile(text, "<forgotten>", "exec"), namespace)
    s2sad.grad(namespace["f"])(1.0)
    assert len(places._KNOWN) > before
    known = len(places._KNOWN)
    namespace.clear()
    gc.collect()  # the function; with it goes what its derivatives are found by
    gc.collect()
    assert len(places._KNOWN) < known


def test_a_script_shows_its_line_and_the_error_alone(tmp_path):
    text = (
        "import numpy as np, s2sad\n"
        "def f(x):\n"
        "    return np.roots(x)\n"
        "s2sad.grad(f)(1.5)\n"
    )
    (tmp_path / "script.py").write_text(text)
    root = os.path.dirname(os.path.dirname(OWN))
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
    )
    frames = [x for x in done.stderr.splitlines() if x.startswith("  File ")]
    assert len(frames) == 1 and 'script.py", line 4' in frames[0]
