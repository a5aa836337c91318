"""The text of live functions is found, and checked against their code."""

import ast
import doctest
import functools
import importlib
import linecache
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from s2sad.errors import SourceError
from s2sad.source.text.parsed import nested_codes
from s2sad.source.text.source import source_of
from tests.support.work import calls


def text(function):
    return ast.unparse(source_of(function).node)


def load(path, source, name="made", **options):
    """A module made from text, with a file, as an import makes it."""
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True, **options)
    namespace = {"__name__": name}
    exec(code, namespace)
    return namespace


def plain(x, n=2, /, y=3.0, *args, scale=1.5, **kwargs):
    """Docstring."""
    return x


def rewritten(x):
    assert x > 0, f"{x} is negative"
    inner = [v for v in [x] if v]

    def helper(y):
        assert isinstance(y, float) and y in inner
        return y

    return helper(x) * 2


def deco(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    return wrapper


@deco
# a comment
@deco
def decorated(x):
    return x + 1


def maker(scale):
    def inner(x):
        return x * scale

    return inner, lambda x: inner(x) + scale


class Model:
    rate = 0.5

    def step(self, x):
        return self.__hidden(x)

    def __hidden(self, x):
        return x

    @staticmethod
    def still(x):
        return x + 2

    @classmethod
    def klass(cls, x):
        return x + 3

    class Part:
        def step(self, x):
            return x - 1

    square = lambda self, x: x**2


async def coroutine(x):
    return x


def generator(x):
    yield x


# fmt: off
pair = [lambda x: x + 1.0, lambda x: x + 2.0]
same = [lambda x: x, lambda x: x]
consts = lambda: 1.0, lambda: 2.0, lambda: None, lambda: -0.0, lambda: 0.0
nested = lambda x: lambda y: x * y
given = lambda f=lambda x: x + 5: f
many = [lambda x: (x
    + 1), lambda x: x]
if True: twice = lambda x: 1; twice2 = lambda x: 1.0  # noqa: E701, E702
# fmt: on


# --------------------------------------------------------------------- finding


def test_what_is_found():
    s = source_of(plain)
    assert (s.name, s.qualname, s.module) == ("plain", "plain", __name__)
    assert s.filename == plain.__code__.co_filename
    assert s.function is plain
    assert s.defaults == {"n": 2, "y": 3.0, "scale": 1.5}
    assert s.lines[s.node.lineno - 1].startswith("def plain(")
    assert s.lines[s.node.body[-1].lineno - 1] == "    return x"


@pytest.mark.parametrize(
    "function, expected",
    [
        (decorated.__wrapped__.__wrapped__, "return x + 1"),
        (maker(2)[0], "return x * scale"),
        (Model.step, "return self.__hidden(x)"),
        (Model._Model__hidden, "return x"),
        (Model().step, "return self.__hidden(x)"),
        (Model.still, "return x + 2"),
        (Model.__dict__["still"], "return x + 2"),
        (Model.klass, "return x + 3"),
        (Model.Part.step, "return x - 1"),
        (coroutine, "async def coroutine(x):"),
        (generator, "yield x"),
    ],
)
def test_kinds_of_functions(function, expected):
    assert expected in text(function)


def test_a_wrapper_is_itself():
    assert source_of(decorated).name == "wrapper"


def test_two_functions_of_one_name(tmp_path):
    ns = load(
        tmp_path / "m.py",
        """
        def f(x):
            return x + 1
        first = f
        def f(x):
            return x + 2
        """,
    )
    assert "x + 1" in text(ns["first"])
    assert "x + 2" in text(ns["f"])


def test_conditional_definitions(tmp_path):
    ns = load(
        tmp_path / "m.py",
        """
        if len("a") == 2:
            def f(x): return 1
        else:
            def f(x): return 2
        """,
    )
    assert "return 2" in text(ns["f"])


def test_lambdas_are_told_apart():
    assert [text(f) for f in pair] == ["lambda x: x + 1.0", "lambda x: x + 2.0"]
    assert [source_of(f).node.col_offset for f in same] == [8, 21]
    assert [text(f) for f in consts] == [
        "lambda: 1.0",
        "lambda: 2.0",
        "lambda: None",
        "lambda: -0.0",
        "lambda: 0.0",
    ]
    assert text(nested) == "lambda x: lambda y: x * y"
    assert text(nested(1)) == "lambda y: x * y"
    assert text(given) == "lambda f=lambda x: x + 5: f"
    assert text(given()) == "lambda x: x + 5"
    assert [text(f) for f in many] == ["lambda x: x + 1", "lambda x: x"]
    assert [text(twice), text(twice2)] == ["lambda x: 1", "lambda x: 1.0"]
    assert text(maker(2)[1]) == "lambda x: inner(x) + scale"
    assert text(Model.square) == "lambda self, x: x ** 2"


def test_lambdas_in_comprehensions_and_calls():
    fs = [(lambda x: x + k, lambda x: x - k) for k in range(2)]
    assert [text(f) for f in fs[1]] == ["lambda x: x + k", "lambda x: x - k"]
    assert source_of(fs[1][0]).resolver.resolve("k").value == 1
    swap = (lambda f, g: (g, f))(lambda x: x * 2, lambda x: x * 3)
    assert [text(f) for f in swap] == ["lambda x: x * 3", "lambda x: x * 2"]


# -------------------------------------------------------------------- checking


def test_asserts_rewritten_by_pytest():
    names = [*rewritten.__code__.co_names]
    for code in nested_codes(rewritten.__code__):
        names += code.co_names
    assert "@pytest_ar" in names  # else this tests nothing
    assert text(rewritten).count("assert") == 2


def test_a_rewritten_function_that_was_edited_is_refused(monkeypatch):
    name = rewritten.__code__.co_filename
    lines = [
        line.replace("helper(x) * 2", "helper(x) * 3")
        for line in linecache.getlines(name)
    ]
    monkeypatch.setitem(linecache.cache, name, (1, None, lines, name))
    with pytest.raises(SourceError, match="rewritten.*reload"):
        source_of(rewritten)


def test_an_edited_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "edited_module.py"
    path.write_text("def f(x):\n    return x + 1\n")
    module = importlib.import_module("edited_module")
    try:
        assert "x + 1" in text(module.f)
        for change in (
            "def f(x):\n    return x + 2\n",
            "\ndef f(x):\n    return x + 1\n",
            "def f(x):\n    return x + 1 +\n",
            "def g(x):\n    return x + 1\n",
            "def f(x, y=2):\n    return x + 1\n",
            "",
        ):
            path.write_text(change + "#" * len(change))
            with pytest.raises(SourceError, match="reload the module|no source text"):
                source_of(module.f)
        path.write_text("def f(x):\n    return x + 2\n#\n")
        importlib.reload(module)
        assert "x + 2" in text(module.f)
    finally:
        del sys.modules["edited_module"]


@pytest.mark.parametrize(
    "old, new",
    [
        ("x + 1", "x + 1.0"),
        ("x + 1", "x + True"),
        ("x + 1", "1 + x"),
        ("x + 0.0", "x + -0.0"),
        ("x + a", "x + b"),
        ("x.a", "x.b"),
        ("[y for y in x]", "[y + 1 for y in x]"),
        ("x in {1, 2}", "x in {1, 2.0}"),
        ("(1, (2, 3))", "(1, (2, 3.0))"),
        ("x[1:2]", "x[1:3]"),
    ],
)
def test_small_edits_are_seen(tmp_path, old, new):
    path = tmp_path / "m.py"
    ns = load(path, f"def f(x):\n    return {old}\n")
    assert old in text(ns["f"])
    path.write_text(f"def f(x):\n    return {new}\n#\n")
    with pytest.raises(SourceError):
        source_of(ns["f"])


def test_two_lambdas_that_changed_places_are_refused(tmp_path):
    path = tmp_path / "m.py"
    ns = load(path, "f, g = lambda x: x + 1, lambda x: x + 22\n")
    path.write_text("g, f = lambda x: x + 22, lambda x: x + 1\n#\n")
    # the code of both is still there: what they run is what is shown
    assert text(ns["f"]) == "lambda x: x + 1"
    path.write_text("g, f = lambda x: x + 22, lambda x: x + 2\n##\n")
    with pytest.raises(SourceError):
        source_of(ns["f"])


def test_an_edit_elsewhere_does_no_harm(tmp_path):
    path = tmp_path / "m.py"
    ns = load(path, "def f(x):\n    return x + 1\n")
    path.write_text("def f(x):\n    return x + 1\n\ndef g(): pass\n")
    assert "x + 1" in text(ns["f"])


@pytest.mark.parametrize("level", [0, 1, 2])
def test_optimisation_levels(tmp_path, level):
    ns = load(
        tmp_path / "m.py",
        '''
        def f(x):
            """Docstring."""
            assert x > 0
            if __debug__:
                x = x + 1
            def g(y):
                "Inner."
                return x + y
            return g(x)
        ''',
        optimize=level,
    )
    assert "assert x > 0" in text(ns["f"])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", [["-O"], ["-OO"], ["-X", "no_debug_ranges"]])
def test_interpreter_options(tmp_path, options):
    path = tmp_path / "script.py"
    path.write_text(
        textwrap.dedent(
            '''
            import ast
            from s2sad.source.text.source import source_of
            def f(x):
                """Docstring."""
                assert x
                return x
            a, b = lambda x: x + 1, lambda x: x + 2
            c, d = lambda: 1.0, lambda: 2.0
            g = lambda f=lambda x: x + 1: (lambda x: f(x))
            for function in (f, a, b, c, d, g, g(), g.__defaults__[0]):
                print(ast.unparse(source_of(function).node).splitlines()[-1].strip())
            '''
        )
    )
    assert run([*options, str(path)]) == [
        "return x",
        "lambda x: x + 1",
        "lambda x: x + 2",
        "lambda: 1.0",
        "lambda: 2.0",
        "lambda f=lambda x: x + 1: lambda x: f(x)",
        "lambda x: f(x)",
        "lambda x: x + 1",
    ]


def run(arguments):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_future_annotations(tmp_path):
    path = tmp_path / "m.py"
    ns = load(
        path,
        """
        from __future__ import annotations
        def f(x: undefined) -> undefined:
            y: undefined = 1
            def g(z: undefined): return z
            return g
        """,
    )
    assert "y: undefined" in text(ns["f"])
    assert "z: undefined" in text(ns["f"](1))


def test_a_cell_that_inherits_future_annotations():
    source = "def f():\n    def g(z: undefined): return z\n    return g\n"
    name = "<a cell>"
    flag = __import__("__future__").annotations.compiler_flag
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    try:
        ns = {}
        exec(compile(source, name, "exec", flag, dont_inherit=True), ns)
        assert "undefined" in text(ns["f"]())
    finally:
        del linecache.cache[name]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters(tmp_path):
    ns = load(
        tmp_path / "m.py",
        """
        def f[T](x: T, y=2) -> T:
            return x
        class A[T]:
            def m[S](self, x: S) -> S:
                return lambda: x
        """,
    )
    assert "def f[T]" in text(ns["f"])
    assert "def m[S]" in text(ns["A"].m)
    assert text(ns["A"]().m(1)) == "lambda: x"


def test_encodings_and_line_ends(tmp_path):
    path = tmp_path / "m.py"
    source = "# coding: latin-1\r\ndef f(x):\r\n    é = 'ü'; return x * é\r\n"
    path.write_bytes(source.encode("latin-1"))
    ns = {"__name__": "m"}
    exec(compile(path.read_bytes(), str(path), "exec"), ns)
    s = source_of(ns["f"])
    assert s.lines[2] == "    é = 'ü'; return x * é"
    span = s.span_of(s.node.body[1])
    assert s.lines[2][span.column : span.end_column] == "return x * é"


# ------------------------------------------------------------------- no source


@pytest.mark.parametrize(
    "function, words",
    [
        (len, "len .* compiled"),
        (np.dot, "Python function|compiled|text"),
        (np.sin, "sin .* compiled"),
        (str.upper, "compiled"),
        ([].append, "compiled"),
        (functools.partial(plain, 1), "functools.partial has no source"),
        (functools.lru_cache(plain), "__wrapped__"),
        (Model, "is a class"),
        (3.0, "not a function"),
        (None, "not a function"),
        (np.vectorize(plain), "__call__"),
    ],
)
def test_what_has_no_source(function, words):
    with pytest.raises(SourceError, match=words):
        source_of(function)


def test_exec_has_no_source():
    ns = {}
    exec("def f(x): return x", ns)
    with pytest.raises(SourceError, match="made by exec.*file or a notebook"):
        source_of(ns["f"])


def test_exec_under_the_name_of_a_file_is_refused(tmp_path):
    path = tmp_path / "m.py"
    path.write_text("def f(x):\n    return x\n")
    ns = {}
    exec(compile("def f(x):\n    return -x\n", str(path), "exec"), ns)
    with pytest.raises(SourceError):
        source_of(ns["f"])


def test_a_missing_file(tmp_path):
    path = tmp_path / "m.py"
    ns = load(path, "def f(x): return x\n")
    path.unlink()
    with pytest.raises(SourceError, match="the file is missing"):
        source_of(ns["f"])


def test_code_replaced():
    def f(x):
        return x

    f.__code__ = (lambda x: x + 1).__code__
    assert text(f) == "lambda x: x + 1"


# ---------------------------------------------------- doctests, prompts, shells


def test_doctests():
    sample = """
    >>> import ast
    >>> from s2sad.source.text.source import source_of
    >>> def f(x):
    ...     return x + 1
    >>> def g(x): return x; 1
    >>> print(ast.unparse(source_of(f).node))
    def f(x):
        return x + 1
    >>> fs = [lambda x: x, lambda x: -x]; print(ast.unparse(source_of(fs[1]).node))
    lambda x: -x
    """
    test = doctest.DocTestParser().get_doctest(sample, {}, "sample", "sample.py", 0)
    out = []
    result = doctest.DocTestRunner().run(test, out=out.append)
    assert result.failed == 0 and result.attempted == 6, "".join(out)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="3.13 keeps the text")
def test_commands_have_text_where_python_keeps_it():
    code = "def f(x): return x\nfrom s2sad.source.text.source import source_of\n"
    assert run(["-c", code + "print(source_of(f).name)"]) == ["f"]


def test_ipython():
    pytest.importorskip("IPython")
    code = textwrap.dedent(
        """
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell()
        cells = [
            "import ast\\nfrom s2sad.source.text.source import source_of",
            "def f(x):\\n    assert x\\n    return x * 2\\nx = !echo",
            "print(ast.unparse(source_of(f).node).splitlines()[-1].strip())",
            "def f(x): return x * 3",
            "print(ast.unparse(source_of(f).node).splitlines()[-1].strip())",
            "a, b = lambda x: x, lambda x: -x\\nprint(ast.unparse(source_of(b).node))",
            "import asyncio\\nawait asyncio.sleep(0)\\ndef g(x): return x * 4",
            "source_of(g).name",
        ]
        for cell in cells:
            shell.run_cell(cell, store_history=True).raise_error()
        """
    )
    lines = run(["-c", code])
    assert lines[:3] == ["return x * 2", "return x * 3", "lambda x: -x"]
    assert lines[-1].endswith("'g'")


# ----------------------------------------------------------------------- spans


def spans(source, tmp_path):
    ns = load(tmp_path / "spans.py", source)
    s = source_of(ns["f"])
    nodes = [n for n in ast.walk(s.node) if isinstance(n, ast.stmt)]
    nodes.sort(key=lambda n: n.lineno)
    return s, {n.lineno: s.span_of(n).statement for n in nodes}


def test_statements_in_one_line(tmp_path):
    s, found = spans(
        """
        def f(a, # first
              b):
            for i in range(a,
                           b):  # comment
                x = (a
                     + b)  # why
            while "#" in a: b = 1
            with a as c, \\
                 b:
                pass
            try:
                pass
            except E:
                pass
            if a:
                pass
            elif   b  ==  1:
                y = {
                    'k': 1,  # one
                }
            match a:
                case 1:
                    pass
            @deco
            def g(x): return x
            for j in a: pass; k = 1
            z = (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
                 + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(a, a, a, b, c))
        """,
        tmp_path,
    )
    assert found[2] == "def f(a, b):"
    assert found[4] == "for i in range(a, b):"
    assert found[6] == "x = (a + b)"
    assert s.span_of(s.node.body[1]).statement == 'while "#" in a:'
    assert found[9] == "with a as c, b:"
    assert found[12] == "try:"
    assert found[16] == "if a:"
    assert found[18] == "elif b == 1:"
    assert found[19] == "y = {'k': 1,}"
    assert found[22] == "match a:"
    assert s.span_of(s.node.body[6]).statement == "def g(x):"
    assert s.span_of(s.node.body[7]).statement == "for j in a:"
    last = s.span_of(s.node.body[8]).statement
    assert len(last) <= 80 and last.endswith("...")


def test_an_expression_quotes_the_statement_around_it(tmp_path):
    s, _ = spans(
        """
        def f(a):
            for i in range(a + 1):
                b = a * (
                    a - 2)
            return b
        """,
        tmp_path,
    )
    loop = s.node.body[0]
    assert s.span_of(loop.iter.args[0]).statement == "for i in range(a + 1):"
    inner = loop.body[0].value.right
    span = s.span_of(inner)
    assert (span.line, span.column, span.end_line, span.end_column) == (5, 12, 5, 17)
    assert span.statement == "b = a * (a - 2)"
    assert s.span_of(s.node.args).line == 2


def test_a_rewritten_node_with_a_copied_position(tmp_path):
    s, _ = spans("def f(a):\n    return a + 1\n", tmp_path)
    old = s.node.body[0].value
    new = ast.copy_location(ast.Assign([ast.Name("t")], old), old)
    assert s.span_of(new).statement == "return a + 1"


def test_a_lambda_quotes_itself():
    s = source_of(pair[1])
    span = s.span_of(s.node.body)
    assert span.statement == "lambda x: x + 2.0"
    assert s.lines[span.line - 1][span.column : span.end_column] == "x + 2.0"


def test_problem(tmp_path):
    s, _ = spans("def f(a):\n    b = 'é' + g(a,\n    2)\n    return b\n", tmp_path)
    p = s.problem(s.node.body[0].value.right, "why", "what", ("main (x.py:1)",))
    assert str(p).split("\n") == [
        f"{s.filename}:2:15: why",
        "    b = 'é' + g(a,",
        "              ^^^^",
        "    instead: what",
        "    called from main (x.py:1)",
    ]


# ------------------------------------------------------------------------ speed


def test_it_is_little_work(tmp_path):
    body = "".join(
        f"def f{k}(x, y):\n    for i in range(3):\n        x = x * y[i] + {k}.0\n"
        f"    return np.sin(x) + y\n\n"
        for k in range(100)
    )
    ns = load(tmp_path / "big.py", body)

    first, second = (calls(source_of, ns[f"f{k}"]) for k in range(2))
    # twice what was counted: the file is parsed once, and its functions are found then
    assert first < 110_000
    assert second < 120


def test_threads():
    failures = []

    def work():
        try:
            for _ in range(20):
                for function in (plain, *pair, *consts, Model.step):
                    source_of(function)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_nothing_is_executed_or_imported(tmp_path):
    before = set(sys.modules)
    ns = load(tmp_path / "m.py", "def f(x):\n    import nowhere\n    return x\n")
    source_of(ns["f"])
    assert {n for n in set(sys.modules) - before if "nowhere" in n} == set()
