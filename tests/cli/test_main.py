"""The group of commands."""

import subprocess
import sys

import pytest


def test_help_lists_the_commands(s2sad):
    result = s2sad("--help")
    assert result.exit_code == 0
    for name in ("show", "transpile", "check"):
        assert f"\n  {name} " in result.stdout


def test_version(s2sad):
    import s2sad as package

    result = s2sad("--version")
    assert result.exit_code == 0
    name, version = result.stdout.split()
    assert name == "s2sad" and version[0].isdigit() or version == "unknown"
    assert package.__name__ == "s2sad"


@pytest.mark.parametrize("command", ["show", "transpile", "check"])
def test_each_command_explains_itself_with_examples(s2sad, command):
    result = s2sad(command, "--help")
    assert result.exit_code == 0
    assert f"Usage: s2sad {command}" in result.stdout
    assert f"  s2sad {command} model.py" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 88


@pytest.mark.parametrize(
    "arguments", [["shw"], ["show", "--mod"], ["show", "model.py"]]
)
def test_mistakes_exit_with_2(refused, arguments):
    assert "Usage: s2sad" in refused(*arguments)


def test_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "s2sad", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: s2sad ")


def test_help_imports_neither_numpy_nor_the_compiler():
    code = (
        "import sys; from s2sad.cli import main; "
        "main(['--help'], standalone_mode=False); "
        "sys.exit(any(m in sys.modules for m in ('rich', 's2sad.compiler')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert done.returncode == 0
