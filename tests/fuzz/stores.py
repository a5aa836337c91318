"""Random writes into arrays."""

from __future__ import annotations

from tests.fuzz.jumps import Jumps
from tests.fuzz.writer import Env


class Stores(Jumps):
    """Writes stores, where it is asked to."""

    stores = False
    """Whether arrays are written into."""

    def statement(self, env: Env, held: set[str], depth: int) -> None:
        if self.stores and self.one_in(4):
            self.random.choice([self.store, self.store, self.view])(env, held, depth)
        else:
            super().statement(env, held, depth)

    def store(self, env: Env, held: set[str], depth: int) -> None:
        """Into an element, a slice, a mask or places that repeat."""
        kind = self.pick("v", "v", "v", "m")
        known = self.assignable(env, kind)
        if not known:
            return
        name = self.random.choice(known)
        number = self.expression("s", env, 2)
        op = self.pick("=", "=", "+=", "-=", "*=")
        if kind == "m":
            index = self.pick("0, 1", "-1, 0", "1", ":, 0", "0, 1:", "...")
        else:
            places = ["0", "1", "-1", ":", "1:", "::-1", f"{name} > 0.3", "[0, 2, 0]"]
            places += [f"({k} + 1) % 3" for k in self.ints(env)[:1]]
            index = self.random.choice(places)
            if index in (":", "::-1", "[0, 2, 0]") and self.one_in(2):
                number = self.expression("v", env, 2)
        self.emit(f"{name}[{index}] {op} {number}")

    def view(self, env: Env, held: set[str], depth: int) -> None:
        """Another name of an array, or a part of it that is written into."""
        known = self.assignable(env, "v")
        if not known:
            return
        name = self.target(env, "v", held)
        source = self.random.choice(known)
        self.emit(f"{name} = {source}{self.pick('', '', '[:]', '[::-1]')}")
        env[name] = "v"
        self.store(env, held, depth)
