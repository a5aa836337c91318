"""What tests of the Numba backend compare with."""

import numpy as np


def assert_same(found, wanted):
    """Equal structures of equal numbers, up to the order of sums."""
    if wanted is None:
        assert found is None
        return
    if isinstance(wanted, dict):
        assert type(found) is type(wanted)
        assert list(found) == list(wanted)
        for key in wanted:
            assert_same(found[key], wanted[key])
        return
    if isinstance(wanted, tuple | list):
        assert type(found) is type(wanted)
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            assert_same(one, other)
        return
    if hasattr(wanted, "__dataclass_fields__"):
        assert type(found) is type(wanted)
        assert_same(vars(found), vars(wanted))
        return
    assert np.shape(found) == np.shape(wanted)
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def differences(function, arguments, wrt, step=1e-6):
    """The gradients by central differences."""
    found = []
    for position in wrt:
        argument = np.asarray(arguments[position], float)
        gradient = np.zeros(argument.shape)
        for index in np.ndindex(argument.shape):
            values = []
            for sign in (1.0, -1.0):
                moved = argument.copy()
                moved[index] += sign * step
                own = moved if argument.ndim else float(moved)
                given = [*arguments[:position], own, *arguments[position + 1 :]]
                values.append(float(function(*given)))
            gradient[index] = (values[0] - values[1]) / (2 * step)
        found.append(gradient)
    return found
