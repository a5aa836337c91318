"""Checks of results whose kinds are known only when the program runs."""

from typing import Any

import numpy as np


def require_distinct(
    changed: Any,
    other: Any,
    name: str,
    other_name: str,
    what: str = "the function changes it",
) -> None:
    """Raise ValueError where a list, dict or object that the function changes, or
    compares by ``is``, is another argument, too.

    >>> x = [1.0]
    >>> require_distinct(x, x, "x", "y")
    Traceback (most recent call last):
    ...
    ValueError: x and y are the same object, and the function changes it: pass a copy
    """
    if changed is other:
        same = f"{name} and {other_name} are the same object"
        raise ValueError(f"{same}, and {what}: pass a copy")


def require_other_text(text: Any, texts: tuple[str, ...]) -> None:
    """Raise ValueError where a tuple begins with a text by which others are known that
    hold something else.

    >>> require_other_text("+", ("leaf",))
    """
    if text in texts:
        raise ValueError(
            f"a tuple begins with {text!r} and holds other things: write it out"
        )


def require_unshared(
    changed: Any, other: Any, name: str, other_name: str, deep: bool
) -> None:
    """Raise ValueError where a list, dict or object that the function changes stands
    somewhere in another argument; where it is ``deep``, those in it are changed, too.

    >>> row = [1.0]
    >>> require_unshared(row, [row, [2.0]], "row", "rows", False)
    Traceback (most recent call last):
    ...
    ValueError: row stands in rows, too, and the function changes it: pass a copy
    """
    inner = {id(changed)}
    if deep:
        inner.update(id(part) for part in parts_of(changed) if not is_plain(part))
    if any(id(part) in inner for part in parts_of(other)):
        where = f"{name} stands in {other_name}, too"
        if changed is other:
            where = f"{name} and {other_name} are the same object"
        elif deep:
            where = f"{name} and {other_name} hold the same list or dict"
        raise ValueError(f"{where}, and the function changes it: pass a copy")


def require_outside_itself(changed: Any, name: str) -> None:
    """Raise ValueError where a list or dict that the function changes can be reached
    from what it holds.

    >>> rows = [[1.0]]
    >>> rows.append(rows)
    >>> require_outside_itself(rows, "rows")
    Traceback (most recent call last):
    ...
    ValueError: rows stands in rows, too, and the function changes it: pass a copy
    """
    items = list(changed.values() if isinstance(changed, dict) else changed)
    require_unshared(changed, items, name, name, False)


def is_plain(part: Any) -> bool:
    """True for what can't be changed: a number, a text, None."""
    return part is None or isinstance(part, int | float | complex | str | bytes)


def require_attribute(record: Any, name: str) -> None:
    """Raise AttributeError where an object has no such attribute of its own: the
    adjoint has the attributes that the object was given with."""
    kind = type(getattr(type(record), name, None)).__name__
    slot = kind == "member_descriptor"  # told by its name, as files do
    there = hasattr(record, name) if slot else name in record.__dict__
    if not there:
        advice = "give it, or make a new object"
        raise AttributeError(
            f"a derivative adds no {name!r} to an object that is given: {advice}"
        )


def require_items_apart(items: Any, name: str) -> None:
    """Raise ValueError where a list in a list is there twice, and the function changes
    it.

    >>> row = [1.0]
    >>> require_items_apart([row, row], "rows")
    Traceback (most recent call last):
    ...
    ValueError: rows holds one list twice, and the function changes it: pass copies
    """
    if len(set(map(id, items))) < len(items):
        what = "holds one list twice, and the function changes it"
        raise ValueError(f"{name} {what}: pass copies")
    for item in items:
        if item and isinstance(item[0], list):
            require_items_apart(item, name)


def require_apart(written: Any, other: Any, name: str, other_name: str) -> None:
    """Raise ValueError where two arguments share memory and one is written into.

    >>> x = np.zeros(3)
    >>> require_apart(x, x[1:], "x", "y")
    Traceback (most recent call last):
    ...
    ValueError: 'x' shares memory with 'y', and the function writes into it: pass a copy
    """
    theirs = arrays_in(other)
    if any(np.shares_memory(a, b) for a in arrays_in(written) for b in theirs):
        shared = f"{name!r} shares memory with {other_name!r}"
        raise ValueError(f"{shared}, and the function writes into it: pass a copy")


def require_two_arrays(array: Any, other: Any, name: str, other_name: str) -> None:
    """Raise ValueError where two arguments are one array: of each of them a deep copy
    has a copy, and one of these is written into.

    >>> x = np.zeros(3)
    >>> require_two_arrays(x, x, "o.x", "o.y")
    Traceback (most recent call last):
    ...
    ValueError: 'o.x' and 'o.y' are one array, and the function writes into deep \
copies: pass a copy
    """
    if array is other:
        one = f"{name!r} and {other_name!r} are one array"
        raise ValueError(
            f"{one}, and the function writes into deep copies: pass a copy"
        )


def require_different_arrays(arrays: Any) -> None:
    """Raise ValueError where a list that is copied deeply holds one array twice.

    >>> x = np.zeros(3)
    >>> require_different_arrays([x, np.zeros(3), [x]])
    Traceback (most recent call last):
    ...
    ValueError: a list that is copied deeply holds one array twice, and the function \
writes into arrays: copy the arrays one by one
    """
    if _holds_twice(arrays, set()):
        one = "a list that is copied deeply holds one array twice"
        advice = "copy the arrays one by one"
        raise ValueError(f"{one}, and the function writes into arrays: {advice}")


def _holds_twice(items: Any, seen: set[int]) -> bool:
    for item in items:
        if isinstance(item, list):
            if _holds_twice(item, seen):
                return True
        elif id(item) in seen:
            return True
        seen.add(id(item))
    return False


def require_arrays_apart(arrays: Any, name: str) -> None:
    """Raise ValueError where arrays of a list share memory, and one is written into.

    >>> x = np.zeros(3)
    >>> require_arrays_apart([x, np.ones(2), x[1:]], "xs")
    Traceback (most recent call last):
    ...
    ValueError: an item of 'xs' shares memory with another one, and the function \
writes into it: pass copies
    """
    if _share_memory(arrays, len(arrays)):
        shared = f"an item of {name!r} shares memory with another one"
        raise ValueError(f"{shared}, and the function writes into it: pass copies")


def _share_memory(arrays: Any, count: int) -> bool:
    """True where two arrays share memory, of which one is among the first so many."""
    bounds = [np.lib.array_utils.byte_bounds(array) for array in arrays]
    before: list[int] = []
    for place in sorted(range(len(arrays)), key=bounds.__getitem__):
        before = [k for k in before if bounds[k][1] > bounds[place][0]]
        for k in before:
            if min(k, place) < count and np.shares_memory(arrays[place], arrays[k]):
                return True
        before.append(place)
    return False


def require_contiguous(array: Any, name: str) -> None:
    """Raise ValueError for an argument whose elements don't lie by rows.

    >>> require_contiguous(np.zeros((2, 3)).T, "x")
    Traceback (most recent call last):
    ...
    ValueError: what is written depends on the layout of 'x': pass \
np.ascontiguousarray(x)
    """
    if isinstance(array, np.ndarray) and not array.flags.c_contiguous:
        advice = f"pass np.ascontiguousarray({name})"
        raise ValueError(f"what is written depends on the layout of {name!r}: {advice}")


def require_array(value: Any) -> Any:
    """The value, if it is an array: what starts as a number may still be one.

    >>> require_array(np.ones(2))
    array([1., 1.])
    >>> require_array(0)
    Traceback (most recent call last):
    ...
    TypeError: a number is put into a list with arrays: put numbers alone into it, or \
arrays of one rank
    """
    if value is None:
        raise TypeError("unsupported operand type: 'NoneType'")
    if np.ndim(value) == 0:
        advice = "put numbers alone into it, or arrays of one rank"
        raise TypeError(f"a number is put into a list with arrays: {advice}")
    return value


def require_told_apart(kept: Any, others: Any) -> None:
    """Raise ValueError where two arrays share memory of which one stands in what is
    ``kept``, where the function writes into arrays, if they aren't one and the same
    there.

    >>> x = np.zeros(3)
    >>> require_told_apart([[x, x]], [np.ones(2)])
    >>> require_told_apart([[x]], [x[1:]])
    Traceback (most recent call last):
    ...
    ValueError: an array in an argument shares memory with another one, and the \
function writes into such: pass copies
    """
    own = _arrays_kept(kept)
    theirs = arrays_in(others)
    if not theirs and all(array.base is None for array in own):
        return  # each has memory of its own
    owners: dict[int, tuple[list[Any], list[Any]]] = {}
    for which, arrays in enumerate((own, theirs)):
        for array in arrays:
            owner = array
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            known = 0 if owner.base is not None else id(owner)
            owners.setdefault(known, ([], []))[which].append(array)
    for one, other in owners.values():
        if len(one) + len(other) > 1 and _share_memory([*one, *other], len(one)):
            shared = "an array in an argument shares memory with another one, and the"
            raise ValueError(f"{shared} function writes into such: pass copies")


def module_array(array: Any) -> Any:
    """An array of the module as lists and objects hold it, through which nobody can
    write into it.

    >>> module_array(np.zeros(2))[0] = 1.0
    Traceback (most recent call last):
    ...
    ValueError: assignment destination is read-only
    """
    held = array.view()
    held.flags.writeable = False
    return held


def is_module_array(held: Any, array: Any) -> bool:
    """``held is array``, where what is held may stand for an array of the module.

    >>> x = np.zeros(2)
    >>> is_module_array(module_array(x), x), is_module_array(x.copy(), x)
    (True, False)
    """
    return held is array or (
        not held.flags.writeable and bool(np.may_share_memory(held, array))
    )


def module_data(container: Any) -> Any:
    """A list or dict that stands for one of the module, which the program must not
    change.

    >>> module_data([1.0])[0] = 2.0
    Traceback (most recent call last):
    ...
    ValueError: a list or dict of the module, of a class or of a default is changed \
through an item of another one, and a derivative changes none: put a copy there
    """
    return (ModuleDict if isinstance(container, dict) else ModuleList)(container)


def refuse_change(*operands: Any, **words: Any) -> None:
    what = "a list or dict of the module, of a class or of a default is changed through"
    why = "an item of another one, and a derivative changes none"
    raise ValueError(f"{what} {why}: put a copy there")


class ModuleList(list):
    """A list that nobody may change. A copy is a plain list."""

    def __init__(self, items: Any) -> None:
        super().__init__(items)

    __setitem__ = __delitem__ = __iadd__ = __imul__ = refuse_change  # type: ignore[assignment]
    append = extend = insert = pop = remove = clear = sort = reverse = refuse_change


class ModuleDict(dict):
    """Such a dict."""

    __setitem__ = __delitem__ = __ior__ = refuse_change  # type: ignore[assignment]
    pop = popitem = setdefault = update = clear = refuse_change  # type: ignore[assignment]


def _arrays_kept(value: Any) -> list[Any]:
    """The arrays in what is kept as it is, each once."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        items: Any = ()
        if isinstance(part, dict):
            items = part.values()
        elif isinstance(part, list | tuple) or hasattr(part, "maxlen"):  # a deque
            items = part
        elif not is_plain(part):
            items = getattr(part, "__dict__", {}).values()
            if hasattr(part, "__slots__"):
                items = [*items, *(getattr(part, n, None) for n in part.__slots__)]
        for item in items:
            if type(item) is np.ndarray:
                found[id(item)] = item
            elif type(item) not in (float, int, str, bool, type(None)):
                waiting.append(item)
    return list(found.values())


def arrays_in(value: Any) -> list[Any]:
    """The arrays in an argument: itself, or those that it is made of.

    >>> [a.shape for a in arrays_in({"w": np.zeros(2), "parts": [np.zeros(3), 1.0]})]
    [(2,), (3,)]
    """
    return [part for part in parts_of(value) if isinstance(part, np.ndarray)]


def parts_of(value: Any) -> list[Any]:
    """An argument and all that it is made of, each once."""
    found, waiting, seen = [], [value], set()
    for part in waiting:  # which grows meanwhile
        if id(part) in seen:
            continue
        seen.add(id(part))
        found.append(part)
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list | tuple) or hasattr(part, "maxlen"):  # a deque
            waiting += part
        elif not (is_plain(part) or isinstance(part, np.ndarray)):
            slots = [getattr(part, n, None) for n in getattr(part, "__slots__", ())]
            waiting += [*getattr(part, "__dict__", {}).values(), *slots]
    return found


def plain_number(value: Any) -> float:
    """A number as one of Python's; raises TypeError for anything else.

    >>> plain_number(2), plain_number(np.float32(0.5))
    (2, 0.5)
    >>> plain_number("2")
    Traceback (most recent call last):
    ...
    TypeError: a number is needed here, and this is a str
    """
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    raise TypeError(f"a number is needed here, and this is a {type(value).__name__}")


def require_key(entries: Any, key: Any) -> None:
    """Raise KeyError for a key that a defaultdict of the caller's doesn't have: to read
    it would add it.

    >>> require_key({"a": 1.0}, "a")
    """
    if key not in entries:
        raise KeyError(f"a derivative adds no {key!r} to a defaultdict: use its get")


def require_empty(items: Any) -> None:
    """Raise ValueError where a list or dict that was given empty has items now: it is
    one under another name to which the function adds some.

    >>> require_empty([])
    """
    if len(items):
        what = f"a {type(items).__name__} that was given empty stands in two places"
        raise ValueError(f"{what}, and the function adds to it: pass a copy")


def require_item(items: Any, key: Any) -> None:
    """Raise KeyError for a key that a dict doesn't have into which a derivative stores:
    its adjoint has the keys that the dict was given with.

    >>> require_item({"a": 1.0}, "a")
    """
    if key not in items:
        advice = "give it, with 0.0, or store into a new dict"
        raise KeyError(
            f"a derivative adds no {key!r} to a dict that is given: {advice}"
        )


def require_names(record: Any, names: tuple[str, ...]) -> None:
    """Raise ValueError where an object doesn't have these attributes in this order.

    >>> require_names(require_names, ())
    """
    if tuple(vars(record)) != names:
        cls, wanted = type(record).__name__, ", ".join(names)
        order = "in this order, on which a derivative relies"
        raise ValueError(f"a {cls} has attributes other than {wanted} {order}")


def require_arguments(
    given: Any,
    function: str,
    needed: tuple[str, ...],
    optional: tuple[str, ...],
    taken: tuple[str, ...] | None,
) -> None:
    """Raise TypeError where a dict isn't one of arguments for a function: some are
    needed, some optional. Others are all right but for those that are ``taken``, or,
    where that is None, wrong.

    >>> require_arguments({"k": 1.0, "q": 2.0}, "spring", ("k",), ("rest",), None)
    Traceback (most recent call last):
    ...
    TypeError: spring() got an unexpected keyword argument 'q'
    """
    for key in given:
        if not isinstance(key, str):
            raise TypeError("keywords must be strings")
        if taken is None and key not in needed and key not in optional:
            raise TypeError(f"{function}() got an unexpected keyword argument {key!r}")
        if taken is not None and key in taken:
            raise TypeError(f"{function}() got multiple values for argument {key!r}")
    for name in needed:
        if name not in given:
            raise TypeError(f"{function}() missing a required argument: {name!r}")


def require_number(value: Any) -> None:
    """Raise TypeError unless the value is one number.

    >>> require_number(np.zeros(3))
    Traceback (most recent call last):
    ...
    TypeError: a gradient needs one number, the function gave shape (3,)
    """
    if value is None:
        raise TypeError("a gradient needs one number, the function gave None")
    shape = np.shape(value)
    if shape != ():
        raise TypeError(f"a gradient needs one number, the function gave shape {shape}")
