"""Lines of derivatives don't raise where the function doesn't: numbers that are
Python's on some paths and NumPy's on others, whose operators differ at singular
values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fuzz.checking import check

HEADER = "import math\nimport numpy as np\n\n\ndef program(x, v, o):\n"
SINGULAR = {
    "power": "(o * z) ** 0.25",
    "root": "np.sqrt(o * z)",
    "root of math": "math.sqrt(o * z)",
    "arc sine": "math.asin(1.0 - o * abs(z)) - 0.5 * math.pi",
    "quotient": "v[0] / np.sqrt(1.0 + o * z) + np.sqrt(o * z) / 2.0",
}
"""Values where ``o`` is 0, that nothing depends on."""
PATHS = {
    "loop": "z = x * x\nfor i in range(2):\n    d = {d}\n    z = z + v[i] ** 2\n",
    "branch": "z = x * x if x > 9.0 else v @ v\nd = {d}\n",
    "other branch": "z = v @ v if x > 9.0 else x * x\nd = {d}\n",
    "choice": "z = x * x\nd = {d}\ny = next(e for e in [d, v @ v] if e > 0.1)\n",
    "list": "z = [x * x, v @ v][1 if x > 9.0 else 0]\nd = {d}\n",
    "sorted": "z = x * x\nd = sorted([{d}, 2.0 + v @ v])[0]\n",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("value", SINGULAR)
def test_a_singular_value_that_nothing_depends_on(value, path):
    lines = PATHS[path].format(d=SINGULAR[value])
    if "y =" not in lines:
        lines += "y = z + x if d < 5.0 else d\n"
    text = HEADER + "".join(f"    {line}\n" for line in lines.splitlines())
    text += "    return y * x\n"
    with np.errstate(all="ignore"):
        for only in ("vjp", "jvp", "hvp"):
            outcome = check(text, 3, only=only)
            assert outcome.verdict == "differentiated", (only, outcome.detail, text)
