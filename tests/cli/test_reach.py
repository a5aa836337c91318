"""Transpiling reads what is reached, and rules wherever they are registered."""

from pathlib import Path

import pytest

from s2sad.source.static.module import load
from s2sad.source.static.reach import may_register


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    "statement",
    [
        "import far",
        "import math, far as f",
        "from far import (\n    one,\n    two,\n)",
        "from far import \\\n    one",
        "def f(x):\n    from far import one\n    return one(x)",
        "if True: import far",
        "from package.inner import one",
        "from package import inner",
        "from package import *",
    ],
)
def test_files_that_may_register_rules_are_found(tmp_path, statement):
    folder = written(
        tmp_path,
        main=f"import numpy as np\n{statement}\n",
        far="import farther\n",
        farther="import s2sad\n",
    )
    (folder / "package").mkdir()
    written(folder / "package", __init__="", inner="from ..far import one\n")
    (folder / "package" / "__init__.py").write_text("from . import inner\n")
    (folder / "package" / "inner.py").write_text("import far\n")
    assert may_register(folder / "main.py", {})


def test_files_that_name_nothing_of_it_are_not_parsed(tmp_path, monkeypatch):
    folder = written(
        tmp_path,
        main="from big import used\n\n\ndef f(x: float):\n    return used(x)\n",
        big="import bigger\n\n\ndef used(x):\n    return x * x\n",
        bigger="import big\n" + "x = 1\n" * 100,
    )
    assert not may_register(folder / "main.py", {})
    from s2sad.source.static import module as static_module
    from s2sad.source.static.registrations import _Registrations

    read = []
    parse = static_module.parse
    monkeypatch.setattr(
        static_module,
        "parse",
        lambda path, lines: (read.append(path), parse(path, lines))[1],
    )
    module = load(folder / "main.py")
    _Registrations().module(module)
    module.function("f")
    assert [Path(path).name for path in read] == ["main.py"]
