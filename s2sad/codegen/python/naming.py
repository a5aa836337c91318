"""Final names: short, speaking, unique, and shared by variables that never live at the
same time.

The IR's names carry where a variable comes from (``x~2`` is the second web of ``x``,
``x.bar`` its adjoint, ``product.3`` a temporary). Here they become names of the output:

- The user's variables come first and keep their names where they can.
- A value that the reverse sweep restores or computes again has the name that it had in
  the forward sweep, unless that name holds another value by then.
- A stack is called after what it holds: ``total_2`` is saved on ``total_2_saved``.
- Numbers are counted without gaps: there is an ``x_3`` only beside an ``x_2``.
"""

import builtins
import functools
import keyword
import re
from collections.abc import Iterable, Mapping

from s2sad import ir
from s2sad.codegen.python.interference import Holders, Interference, Numbered


@functools.lru_cache(maxsize=4096)
def base_name(name: str, temporary: bool) -> str:
    """The name a variable would like to have.

    >>> base_name("x~2", False), base_name("x.bar", False)
    ('x', 'x_bar')
    >>> base_name("item.2.now.bar", True), base_name("row.now", True)
    ('item_bar', 'row_now')
    >>> base_name("product.3.bar~2", True), base_name("___1", False)
    ('product_bar', 'item_1')
    """
    base = re.sub(r"~\d+", "", name)
    base = re.sub(r"(\.\d+)\.now\b", r"\1", base)
    base = re.sub(r"\.\d+", "", base)
    if base.startswith("."):
        base = re.sub(r"_\d+($|\.)", r"\1", base)
    base = base.split(":")[-1].strip("._").replace(".", "_")
    if not base[:1].isdigit():
        return base or "value"
    return f"item_{base}"


def final_names(
    function: ir.Function,
    reserved: Iterable[str] = (),
    forward: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The output's name of each variable.

    ``reserved`` are names that mean something else in the output (modules, helpers,
    globals). The user's variables keep their names; others give way. ``forward`` are
    the names in the function whose residuals this one reads.

    >>> t, s, again = ir.Var("t.1"), ir.Var("t.1.saved"), ir.Var("t.1~2")
    >>> body = (
    ...     ir.Assign(None, s, ir.Const(None)),
    ...     ir.Assign(None, t, ir.Const(1.0)),
    ...     ir.Save(None, s, t),
    ...     ir.Restore(None, again, s),
    ...     ir.Return(None, again),
    ... )
    >>> final_names(ir.Function("f", (), body, {}, frozenset({"t.1", "t.1~2"})))
    {'t.1': 't', 't.1~2': 't', 't.1.saved': 't_saved'}
    """
    return _Naming(function, reserved, forward or {}).run()


def _numbered(base: str, count: int) -> str:
    return base if count == 1 else f"{base}_{count}"


class _Naming:
    def __init__(
        self, function: ir.Function, reserved: Iterable[str], forward: Mapping[str, str]
    ) -> None:
        self.function, self.forward = function, forward
        self.interference = Interference(function)
        self.taken = {*reserved, *keyword.kwlist}
        self.users = {
            base_name(n, False) for n in function.kinds if not self.is_derived(n)
        }
        self.held = _held(function)
        self.copied = {
            s.value.name: s.target.name
            for s in ir.walk(function.body)
            if isinstance(s, ir.Assign)
            and isinstance(s.value, ir.Var)
            and isinstance(s.target, ir.Var)
        }
        """What variables are copied into."""
        self.names: dict[str, str] = {}
        self.holders: dict[str, Holders] = {}
        self.numbered: dict[str, Numbered] = {}
        """By base: the variables called by it and a number."""

    def run(self) -> dict[str, str]:
        """All names: those of stacks follow from what they hold."""
        parameters = self.function.parameters
        for name in parameters:
            if name.isidentifier():
                self.give(name, (name,))
        for name in parameters:
            if not name.isidentifier():  # of a function that only others call
                self.give(self.free_name(self.base(name), (name,)), (name,))
        body = list(ir.walk(self.function.body))
        written = [v.name for s in body for v in ir.direct_writes(s)]
        # what is read alone and isn't the user's is read where no path leads
        reads = (v.name for s in body for v in ir.direct_reads(s))
        read = [name for name in reads if not name.isidentifier()]
        variables = [v for v in dict.fromkeys(written + read) if v not in self.names]
        follow = [v for v in variables if self.stack_of(v)]
        others = [v for v in variables if not self.stack_of(v)]
        own = [v for v in others if not self.is_derived(v)]
        for name in own:
            self.give(self.own_name(name), (name,))
        groups = self.groups([v for v in others if self.is_derived(v)])
        for group in groups:
            self.give(self.group_name(group), group)
        for name in follow:
            base = self.name_of_stack(name)
            self.give(self.free_name(base, (name,)), (name,))
        return self.names

    def is_derived(self, name: str) -> bool:
        """True for a variable that the user did not name."""
        return "." in name or name in self.function.temporaries

    def base(self, name: str) -> str:
        """The name a variable would like to have, which hides no builtin."""
        base = base_name(name, name in self.function.temporaries)
        if self.is_derived(name) and hasattr(builtins, base):
            return f"{base}_value"
        return base

    def give(self, final: str, group: Iterable[str]) -> None:
        """Let a name stand for variables."""
        self.names.update(dict.fromkeys(group, final))
        self.holders.setdefault(final, Holders(self.interference)).add(group)

    def is_free(
        self, candidate: str, group: Iterable[str], copies: Iterable[str] = ()
    ) -> bool:
        """True for a name that means nothing else where these variables live. The
        user's names are for his variables, and for what is copied into these."""
        holders = self.holders.get(candidate)
        if candidate in self.taken:
            return False
        return not any(
            (holders is not None and not holders.leave_to(name))
            or (
                self.is_derived(name)
                and candidate in self.users
                and candidate not in map(self.names.get, copies)
                and not candidate.endswith("_dot")
            )
            for name in group
        )

    def free_name(self, base: str, group: Iterable[str]) -> str:
        """The first name that is free: ``x``, ``x_2``, ``x_3``."""
        if base not in self.numbered:
            self.numbered[base] = Numbered(self.interference)
        numbered = self.numbered[base]
        held = numbered.held(group)
        count = 1
        while held[count] or not self.is_free(_numbered(base, count), group):
            count += 1
        numbered.add(group, count)
        return _numbered(base, count)

    def own_name(self, name: str) -> str:
        """A user's variable that is restored is called as where it was saved; in the
        forward sweep, all have the user's names where they can."""
        base = self.base(name)
        saved = [
            other
            for known, restored in self.held.values()
            if name in restored
            for other in known
            if self.base(other) == base
        ]
        wishes = [self.forward.get(name), *map(self.names.get, saved)]
        return self.wished(wishes, (name,)) or self.free_name(base, (name,))

    def wished(
        self,
        wishes: Iterable[str | None],
        group: Iterable[str],
        copies: Iterable[str] = (),
    ) -> str | None:
        """The first of some names that is free."""
        return next((w for w in wishes if w and self.is_free(w, group, copies)), None)

    def groups(self, names: list[str]) -> list[tuple[str, ...]]:
        """Variables in the order of text; together those that had better have one name
        throughout: what is saved and what is restored."""
        group_of: dict[str, tuple[str, ...]] = {name: (name,) for name in names}

        def merge(members: Iterable[str]) -> None:
            first, *rest = members
            for other in rest:
                a, b = group_of[first], group_of[other]
                if a == b or self.base(first) != self.base(other):
                    continue
                if any(self.interference.between(n, m) for n in a for m in b):
                    continue
                group_of.update(dict.fromkeys((*a, *b), (*a, *b)))

        for saved, restored in self.held.values():
            known = [n for n in (*saved, *restored) if n in group_of]
            if known:
                merge(known)
        return list(dict.fromkeys(group_of.values()))

    def group_name(self, group: tuple[str, ...]) -> str:
        """A name for variables that are not the user's. What is computed again is
        called as where it was computed first."""
        base = self.base(group[0])
        firsts = [re.sub(r"~\d+$", "", name) for name in group]
        same = [first for first in firsts if self.base(first) == base]
        wishes = [*map(self.forward.get, group), *map(self.names.get, same)]
        copies = [self.copied[name] for name in group if name in self.copied]
        copies += [re.sub(r"~\d+$", "", name) for name in copies]
        if base not in self.users and base.removesuffix("_bar") not in self.users:
            wishes += map(self.names.get, copies)
        return self.wished(wishes, group, copies) or self.free_name(base, group)

    def name_of_stack(self, name: str) -> str:
        """``total_2_saved`` for the stack of ``total_2``."""
        saved, restored = self.held[self.stack_of(name)]
        root = name
        while "." in root:
            root = root.rpartition(".")[0]
            for held in (*saved, *restored):
                if self.base(held) == self.base(root):
                    rest = base_name(f"x{name[len(root) :]}", True)[1:]
                    return self.names[held] + rest
        return self.base(name)

    def stack_of(self, name: str) -> str:
        """The stack that a variable is, or whose height or iterator it holds; "" for
        others."""
        web = re.sub(r"~\d+$", "", name)
        for stack in (name, web.removesuffix(".height"), f"{web}.reversed"):
            if stack in self.held:
                return stack
        return ""


def _held(function: ir.Function) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """For each stack, the variables saved on it and those restored from it, in the
    order of text."""
    saved: dict[str, list[str]] = {}
    restored: dict[str, list[str]] = {}
    for s in ir.walk(function.body):
        if isinstance(s, ir.Save):
            names = saved.setdefault(s.stack.name, [])
            names += [s.value.name] if isinstance(s.value, ir.Var) else []
        elif isinstance(s, ir.Restore):
            restored.setdefault(s.stack.name, []).append(s.target.name)
    return {
        stack: (tuple(saved.get(stack, ())), tuple(restored.get(stack, ())))
        for stack in dict.fromkeys((*saved, *restored))
    }
