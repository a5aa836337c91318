"""Tables that share rows: as dicts, whatever is changed."""

import random

from s2sad.analysis.dataflow.shared_tables import SharedTable


def test_tables_are_as_dicts():
    rng = random.Random(0)
    names = [f"v{k}" for k in range(300)]
    table, expected = SharedTable.of({}), {}
    for step in range(200):
        more = {name: step for name in rng.sample(names, rng.choice((1, 2, 40)))}
        before, table = table, table.updated(more)
        assert dict(before) == expected and len(before) == len(expected)
        assert all(entry in table.items() for entry in more.items())
        assert set(more.items()) <= set(before.different(table))
        expected = {**expected, **more}
        assert table == table.updated({}) and (table == before) == (before == expected)
    assert dict(table) == expected
    assert ("v3" in table, table.get("w"), "w" in table) == (True, None, False)


def test_rows_that_stay_the_same_are_shared():
    table = SharedTable.of({f"v{k}": 0 for k in range(1000)})
    changed = table.updated({"v7": 1})
    assert sum(a is b for a, b in zip(table.rows, changed.rows, strict=True)) == 31
    assert len(dict(table.different(changed))) == 32
