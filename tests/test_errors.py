"""The layout of messages."""

import pickle

import pytest

from s2sad import errors
from s2sad.errors import ArgumentError, Problem, S2sadError, UnsupportedError


def problem(**changes):
    parts = dict(
        reason="no derivative",
        advice="use another",
        filename="a.py",
        line=7,
        column=8,
        end_column=11,
        source_line="    y = foo(x)",
    )
    return Problem(**{**parts, **changes})


def message(*problems):
    return str(UnsupportedError(problems)).split("\n")


def test_place_line_caret_and_advice():
    assert message(problem()) == [
        "a.py:7:9: no derivative",
        "    y = foo(x)",
        "        ^^^",
        "    instead: use another",
    ]


def test_without_advice_or_line():
    assert message(problem(advice="", source_line="")) == ["a.py:7:9: no derivative"]
    assert message(problem(advice="", source_line="", line=0)) == [
        "a.py: no derivative"
    ]


def test_trail():
    lines = message(problem(trail=("f (a.py:3)", "g (b.py:9)")))
    assert lines[-2:] == ["    called from f (a.py:3)", "    called from g (b.py:9)"]


def test_text_that_runs_on_is_marked_to_the_end_of_the_line():
    lines = message(problem(end_column=8, source_line="    y = foo(x,   "))
    assert lines[1:3] == ["    y = foo(x,", "        ^^^^^^"]


def test_columns_beyond_the_line():
    lines = message(problem(column=99, end_column=120, source_line="ab"))
    assert lines[1:3] == ["    ab", "     ^"]


def test_tabs_and_wide_characters_keep_the_caret_in_place():
    lines = message(problem(source_line="\ta\t= 'é漢' + foo", column=12, end_column=15))
    assert lines[1:3] == ["    a\t= 'é漢' + foo", "     \t" + 10 * " " + "^^^"]


def test_several_problems_each_once_in_order_of_the_text():
    first, second = problem(line=2, reason="one"), problem(line=9, reason="two")
    error = UnsupportedError([second, first, second])
    assert error.problems == (first, second)
    assert [
        part.split(": ")[1].split("\n")[0] for part in str(error).split("\n\n")
    ] == [
        "one",
        "two",
    ]
    assert not str(error).endswith("\n")


def test_survives_pickling():
    error = pickle.loads(pickle.dumps(UnsupportedError([problem()])))
    assert error.problems == (problem(),)
    assert str(error) == str(UnsupportedError([problem()]))


@pytest.mark.parametrize(
    "name", ["UnsupportedError", "SourceError", "ArgumentError", "RuleError"]
)
def test_all_are_s2sad_errors(name):
    assert issubclass(getattr(errors, name), S2sadError)


def test_an_argument_error_is_a_type_error():
    assert issubclass(ArgumentError, TypeError)
