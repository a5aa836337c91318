from __future__ import annotations
from typing import Any
import advect
import numpy as np
from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.peers import Unserved, Version, places, with_numpy_replaced
from benchmarks.kernels.without_stores import WITHOUT_STORES
import os
def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    if kernel.wanted != "gradient": raise Unserved("todo")
    own = places(kernel)
    chosen = own if isinstance(kernel.wrt, tuple) else own[0]
    text = WITHOUT_STORES.get(kernel.name, kernel.function) if os.environ.get("WS") else kernel.function
    if os.environ.get("STAGE"):
        def spec(k,a):
            return advect.StaticSpec(a) if isinstance(a,(int,list)) or (kernel.name.startswith('gauss') and isinstance(a,float)) else a
        program = advect.stage(text, *[spec(k,a) for k,a in enumerate(arguments)])
        return Version(advect.grad(program, chosen), arguments)
    return Version(advect.grad(text, chosen), arguments)
