"""The table of specialisations: whose it is, how long it lives, what it shares."""

import gc
import linecache
import threading
import types
import weakref

import numpy as np
import pytest

from s2sad import grad
from s2sad.dispatch.cache import MEMORY, MOST, MemoryCache, Specialisation
from s2sad.dispatch.dispatcher import Dispatcher, Wanted


def specialisation(registrations=0, namespace=None):
    return Specialisation(
        "", (), (), namespace or {}, registrations, lambda function: lambda: False
    )


def lambdas(count):
    return [lambda x, k=k: x for k in range(count)]


def test_functions_of_one_code_object_share_a_table():
    first, second = lambdas(2)
    cache = MemoryCache()
    assert cache.table_of(first.__code__) is cache.table_of(second.__code__)
    assert len(cache) == 1


def test_equal_code_of_different_modules_is_kept_apart():
    text = compile("f = lambda x: x", "one.py", "exec")
    same = compile("f = lambda x: x", "two.py", "exec")
    code, other = (
        next(c for c in t.co_consts if isinstance(c, types.CodeType))
        for t in (text, same)
    )
    assert code == other
    cache = MemoryCache()
    assert cache.table_of(code) is not cache.table_of(other)


def test_a_table_goes_with_its_code():
    cache = MemoryCache()
    scope = {}
    exec("f = lambda x: x", scope)
    table = weakref.ref(cache.table_of(scope["f"].__code__))
    assert len(cache) == 1
    scope.clear()
    gc.collect()
    assert len(cache) == 0
    assert table() is None


@pytest.mark.long
def test_a_cache_may_go_before_the_code():
    cache = MemoryCache()
    scope = {}
    exec("f = lambda x: x", scope)
    cache.table_of(scope["f"].__code__)
    del cache
    gc.collect()
    scope.clear()
    gc.collect()


def test_the_latest_comes_first_and_the_oldest_goes():
    table = MemoryCache().table_of(specialisation.__code__)
    made = [specialisation() for _ in range(MOST + 3)]
    for one in made:
        table.add("request", one)
    kept = table.specialisations("request")
    assert kept == tuple(reversed(made[3:]))
    assert table.specialisations("other") == ()


def test_what_was_compiled_with_other_rules_is_dropped():
    table = MemoryCache().table_of(specialisation.__code__)
    table.add("request", specialisation(1))
    newer = specialisation(2)
    table.add("request", newer)
    assert table.specialisations("request") == (newer,)


def test_clear():
    table = MEMORY.table_of(specialisation.__code__)
    table.add("request", specialisation())
    table.clear()
    assert table.specialisations("request") == ()


def test_threads_get_one_table():
    cache = MemoryCache()
    found = []
    barrier = threading.Barrier(8)

    def ask():
        barrier.wait()
        found.append(cache.table_of(specialisation.__code__))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1


def scaled_by(scale):
    return lambda x: np.sum(scale * x)


def dispatcher(function):
    return Dispatcher(lambda: function, ("x",), Wanted("gradient", ("x",), single=True))


def test_a_specialisation_keeps_no_captured_data_alive():
    scale = np.full(3, 2.0)
    alive = weakref.ref(scale)
    function = scaled_by(scale)
    found = dispatcher(function).find((np.ones(3),))
    np.testing.assert_array_equal(found.run(np.ones(3)), scale)
    del function, found, scale
    gc.collect()
    assert alive() is None
    # and it is still there for the next function of the same code
    again = dispatcher(scaled_by(np.full(3, 5.0)))
    table = MEMORY.table_of(again.function.__code__)
    before = table.specialisations(again.wanted)
    assert len(before) == 1
    entry = again.find((np.ones(3),))
    np.testing.assert_array_equal(entry.run(np.ones(3)), np.full(3, 5.0))
    assert table.specialisations(again.wanted) == before


def test_the_text_leaves_linecache_with_the_code(tmp_path):
    path = tmp_path / "short_lived.py"
    path.write_text("def square(x):\n    return x * x\n")
    scope = {"__name__": "short_lived"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    entry = dispatcher(scope["square"]).find((2.0,))
    assert entry.run(3.0) == 6.0
    filename = entry.run.__s2sad_filename__
    assert "x_bar" in "".join(linecache.getlines(filename)) or "2" in "".join(
        linecache.getlines(filename)
    )
    del entry
    scope.clear()
    while gc.collect():  # what is found may let go of more
        pass
    assert filename not in linecache.cache


def test_other_functions_of_a_text_read_the_captured_variables_of_theirs():
    def scaled(factor):
        def function(x, n):
            def repeated(x, n):
                return x if n == 0 else factor * repeated(np.sin(x), n - 1)

            return repeated(x, n)

        return function

    gradients = [grad(scaled(factor))(0.5, 2) for factor in (1.0, 2.0, 1.0)]
    assert gradients[1] == pytest.approx(4.0 * gradients[0])
    assert gradients[2] == gradients[0]
