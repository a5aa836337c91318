"""Random functions that call themselves, and generators."""

from __future__ import annotations

from tests.fuzz.functions import Functions, Helper, Parameter
from tests.fuzz.writer import Scope


class Recursion(Functions):
    """Writes functions of the module."""

    def helper(self, number: int) -> None:
        """A function of the module."""
        self.scope = Scope()
        self.pinned = set()
        match self.random.randrange(6):
            case 0:
                self.recursive(number)
            case 1:
                self.generator(number)
            case _:
                self.plain(number)
        self.emit("")

    def recursive(self, number: int) -> None:
        """Recursion on a number, on slices, or of two functions."""
        name = f"helper{number}"
        calls, self.calls_left = self.calls_left, 0
        match self.random.randrange(4):
            case 0:
                self.on_slices(name)
            case 1:
                self.on_depth(name, f"{name}_odd")
                self.on_depth(f"{name}_odd", name)
            case _:
                self.on_depth(name, name)
        self.calls_left = calls

    def on_depth(self, name: str, other: str) -> None:
        self.emit(f"def {name}(x, v, n):")
        self.indent += 1
        self.scope = Scope(result=("s",))
        self.pinned = {"n", "v"}
        env = {"x": "s", "v": "v", "n": "i"}
        self.emit("if n <= 0:")
        self.emit(f"    return {self.expression('s', env, 1)}")
        self.block(env, {"n", "v"}, self.pick(0, 1, 2), self.pick(0, 1, 1))
        x, v = self.expression("s", env, 1), self.expression("v", env, 1)
        call = f"{other}(0.8 * {x}, {self.pick('v', v)}, n - 1)"
        second = f"{other}({self.expression('s', env, 1)}, v, n - 2)"
        again = self.expression("s", env, 1)
        if self.one_in(3):
            self.emit("for j9 in range(n % 3):")
            self.emit(f"    x = np.tanh(x) + 0.3 * {call}")
            self.emit(f"return x * {again}")
        else:
            self.emit(
                self.pick(
                    f"return {again} + 0.5 * {call}",
                    f"return {call} * 0.4 - {second} * {again}",
                    f"return np.sin({call})",
                    f"return ({call} if {self.test(env, 1)} else {second})",
                )
            )
        self.indent -= 1
        self.emit("")
        parameters = [Parameter("x", "s"), Parameter("v", "v"), Parameter("n", "i")]
        self.helpers.append(Helper(name, parameters, "s", fixed={"n": "4"}))

    def on_slices(self, name: str) -> None:
        self.emit(f"def {name}(x, w):")
        self.indent += 1
        env = {"x": "s"}
        self.scope = Scope(result=("s",))
        self.emit("if len(w) <= 1:")
        self.emit(
            f"    return {self.pick('np.sum(w * x)', 'w[0] * w[0]', 'x * w[-1]')}"
        )
        self.emit("half = len(w) // 2")
        self.emit(f"x = {self.expression('s', env, 2)}")
        left, right = self.pick(("w[:half]", "w[half:]"), ("w[:1]", "w[1:]"))
        factor = self.expression("s", env, 1)
        self.emit(
            f"return {name}({self.pick('x', '0.5 * x')}, {left}) "
            f"{self.pick('+', '*', '-')} {factor} * {name}(x, {right})"
        )
        self.indent -= 1
        self.emit("")
        parameters = [Parameter("x", "s"), Parameter("w", "v")]
        self.helpers.append(Helper(name, parameters, "s"))

    def generator(self, number: int) -> None:
        """A generator of numbers."""
        name = f"helper{number}"
        self.emit(f"def {name}(x, v, n=2):")
        self.indent += 1
        env = {"x": "s", "v": "v", "n": "i"}
        self.scope = Scope()
        if self.one_in(3):
            self.emit(f"yield {self.expression('s', env, 1)}")
        target, iterable, own, _ = self.over(env, 0)
        form = self.pick("range(n % 4)", "v", "")
        if form:
            target, iterable = "e0", form
            own = {"e0": "i" if form.startswith("range") else "s"}
        self.emit(f"for {target} in {iterable}:")
        inner = {**env, **own}
        self.indent += 1
        self.block(inner, set(inner), self.pick(1, 2), self.pick(0, 0, 1))
        if self.one_in(2):
            jump = self.pick("continue", "break", "return")
            self.emit(f"if {self.test(inner, 1)}:")
            self.emit(f"    {jump}")
        self.emit(f"yield {self.expression('s', inner, 2)}")
        if self.one_in(2):
            self.emit(f"x = {self.expression('s', inner, 1)}")
        self.indent -= 1
        if self.one_in(4):
            self.emit(f"yield {self.expression('s', env, 1)}")
        self.indent -= 1
        parameters = [
            Parameter("x", "s"),
            Parameter("v", "v"),
            Parameter("n", "i", "", "2"),
        ]
        self.helpers.append(Helper(name, parameters, "items", fixed={"n": "4"}))
