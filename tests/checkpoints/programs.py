"""Programs with checkpoints, to be compared with the same without."""

import itertools

import numpy as np

from s2sad import checkpoint, grad


def diffusion_in_place(u0, k, n):
    u = u0.copy()
    for t in checkpoint(range(n), snapshots=3):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def driven_by_rows(x, f, w):
    for t in checkpoint(range(len(f)), snapshots=2):
        x = np.tanh(w @ x + f[t])
    return np.sum(x * x)


def over_rows(x, f, w):
    for ft in checkpoint(f, snapshots=2):
        x = np.tanh(w @ x + ft)
    return np.sum(x * x)


def branches(x, n):
    v = 0.0
    for t in checkpoint(range(1, n, 2), snapshots=2):
        if x > 1.0:
            x = x * 0.7 + 0.01 * t
        else:
            v = v + x
            x = x * x + 0.8
    return x * v


def nested(x, n):
    s = 0.0
    for i in checkpoint(range(n), snapshots=2):
        for j in checkpoint(range(i + 1), snapshots=2):
            x = np.sin(x) + 0.1 * j
        s += x * x
    return s


def in_a_plain_loop(x, n):
    s = 0.0
    for i in range(n):
        y = x * (i + 1)
        for j in checkpoint(range(i + 2), snapshots=2):
            y = np.sin(y) + 0.1 * j
        s += y * x
        x = x * 1.1 + y
    return s


def left_by_break(x, n):
    for t in checkpoint(range(n), snapshots=2):
        x = np.sin(x) + 0.5 * x
        if x > 1.2:
            break
    return x * x


def without_end(x):
    for _ in checkpoint(itertools.count(), snapshots=2):
        if x >= 1.2:
            break
        x = x + 0.3 * np.cos(x) ** 2
    return x * x


def left_by_return(x, n):
    for t in checkpoint(range(n), snapshots=2):
        x = x + 0.3 * np.cos(x) ** 2
        if x > 1.1:
            return x * x
    return x


def left_in_a_plain_loop(x, n):
    s = 0.0
    for i in range(n):
        for t in checkpoint(range(n), snapshots=2):
            x = x + 0.3 * np.cos(x) ** 2
            if x > 1.0 + 0.1 * i:
                break
        s += x * x
    return s


def grows_a_list(x, n):
    path = []
    for t in checkpoint(range(n), snapshots=2):
        x = np.sin(x) + 0.3
        path.append(x * x)
    total = 0.0
    for p in path:
        total += p * x
    return total


def layer(x, w):
    h = np.tanh(w * x)
    return h * np.sin(h)


def calls_of_a_function(x, w):
    y = x
    for k in range(3):
        y = checkpoint(layer)(y, w)
    return y


def blocks(x, w):
    y = x
    for k in range(3):
        with checkpoint():
            z = np.exp(0.1 * y) * w
            y = y * np.sin(z) + z
    return y * y


def two_arrays_in_place(x, n):
    a = np.zeros(4)
    b = np.ones(4)
    for t in checkpoint(range(n), snapshots=2):
        a[t % 4] = np.sin(b[(t + 1) % 4] * x)
        b[t % 4] += a[(t + 2) % 4] * x
    return np.sum(a * b)


def bound_in_the_first_step(x, n):
    for t in checkpoint(range(n), snapshots=2):
        if t == 0:
            y = x * x
        else:
            y = np.sin(y * x)
    return y


def short(x, n):
    for t in checkpoint(range(n), snapshots=2):
        x = np.sin(x)
    return x * 2


def backwards(x, n):
    for t in checkpoint(reversed(range(n)), snapshots=2):
        x = np.sin(x) + 0.1 * t
    return x * 2


def enumerated(x, f):
    for t, (a, b) in checkpoint(enumerate(zip(f, f[::-1])), snapshots=2):
        x = np.sin(x * a) + 0.1 * t * b
    return x * 2


def with_a_while_loop(x, n):
    s = 0.0
    for t in checkpoint(range(n), snapshots=2):
        y = x
        while y > 0.1:
            y = y * 0.5
            s += y * y * x
        x = np.sin(x) + 0.2
    return s


def in_a_helper(x, n):
    return short(x, n) * x


def two_variables(x, y, n):
    for t in checkpoint(range(n), snapshots=3):
        x, y = x + 0.1 * y, y - 0.1 * np.sin(x)
    return x * y


def continues(x, n):
    s = 0.0
    for t in checkpoint(range(n), snapshots=3):
        x = np.sin(x) + 0.4
        if x > 1.0:
            continue
        s += x
        x = x * 1.3
    return s * x


def decorated_function(x, w):
    @checkpoint
    def inner(y):
        return np.tanh(y * w) * np.exp(y)

    return inner(inner(x))


def swaps_arrays(u0, n):
    u = u0.copy()
    v = np.zeros_like(u0)
    for t in checkpoint(range(n), snapshots=2):
        v[1:] = np.sin(u[:-1])
        v[0] = u[-1] * u[0]
        u, v = v, u
    return np.sum(u * u)


def with_a_finally(x, n):
    for t in checkpoint(range(n), snapshots=2):
        try:
            x = np.sin(x) + 0.1
        finally:
            x = x * 1.05
    return x


def of_arrays(x, n):
    s = np.zeros(3)
    for t in checkpoint(range(n), snapshots=2):
        s = s + x * np.cos(s)
        x = x * 1.01
    return s @ s


def asserts_and_raises(x, n):
    for t in checkpoint(range(n), snapshots=2):
        x = np.sin(x)
        assert x > -5
        if t == 100:
            raise ValueError("a")
    return x


def recursion(x, k):
    if k == 0:
        return x
    return np.sin(recursion(x, k - 1)) * x


def calls_a_recursion(x, n):
    for t in checkpoint(range(n), snapshots=2):
        x = recursion(x, t) + x * 0.1
    return x


def state_in_a_dict(x, n):
    s = {"a": x, "b": 1.0}
    for t in checkpoint(range(n), snapshots=2):
        s["a"] = np.sin(s["a"] * s["b"])
        s["b"] = s["b"] + 0.1 * s["a"]
    return s["a"] * s["b"]


class Pendulum:
    def __init__(self, x):
        self.x = x
        self.v = 0.1

    def step(self, dt):
        self.v = self.v - dt * np.sin(self.x)
        self.x = self.x + dt * self.v


def state_in_an_object(x, n):
    p = Pendulum(x)
    for t in checkpoint(range(n), snapshots=2):
        p.step(0.1)
    return p.x * p.v


def state_in_a_list(x, n):
    q = [x, x * 2, x * 3]
    for t in checkpoint(range(n), snapshots=2):
        a = q.pop(0)
        q.append(np.sin(a) * q[0])
    return q[0] + q[1] * q[2]


def left_with_arrays(x, n):
    u = np.zeros(3)
    for i in range(2):
        for t in checkpoint(range(n), snapshots=2):
            u[t % 3] += np.sin(u[(t + 1) % 3] + x)
            if u[0] > 1.5:
                break
        u = u * 0.5
    return np.sum(u * u)


def with_negative_steps(x, n):
    for t in checkpoint(range(n, 0, -2), snapshots=2):
        x = np.sin(x) + 0.1 * t
    return x


def with_an_else(x, n):
    for t in checkpoint(range(n), snapshots=2):
        x = np.sin(x) + 0.5 * x
        if x > 5:
            break
    else:
        x = x * x
    return x


def returns_from_a_block(x, n):
    for i in range(n):
        with checkpoint():
            x = np.sin(x) + 0.5 * x
            if x > 1.0:
                return x * x
    return x


def reads_last_values(x, n):
    for t in checkpoint(range(n), snapshots=2):
        y = np.sin(x)
        x = x * y + 0.5
    return x * y * t


def fills_an_array(x, n):
    outs = np.zeros(n)
    for t in checkpoint(range(n), snapshots=2):
        outs[t] = x
        x = np.sin(x) + 0.3
    return outs @ outs


def writes_through_views(x, n):
    a = np.ones((3, 3)) * x
    r = a[0]
    for t in checkpoint(range(n), snapshots=2):
        r[t % 3] = np.sin(a[1, t % 3] * x)
        a[1] += a[0]
    return np.sum(a * a)


def over_a_generator(x, n):
    def halves(k):
        for i in range(k):
            yield 0.5 * i

    for h in checkpoint(halves(n), snapshots=2):
        x = np.sin(x) + h * x
    return x


def gradient_of_arrays(x, n):
    return np.sum(grad(of_arrays)(x, n) ** 2)


def gradient_of_blocks(x, w):
    return grad(blocks)(x, w) ** 2


def gradient_of_nested(x, n):
    return grad(nested)(x, n) * x


def gradient_in_a_plain_loop(x, n):
    return grad(in_a_plain_loop)(x, n) * x


def gradient_of_grown_list(x, n):
    return grad(grows_a_list)(x, n) * x


def gradient_of_short(x, n):
    return grad(short)(x, n) * x


def left_with_negative_steps(x, n):
    for t in checkpoint(range(n, 0, -2), snapshots=2):
        x = np.sin(x) + 0.1 * t
        if x > 6.0:
            break
    return x


def by_a_given_number(x, n, s):
    for t in checkpoint(range(n), snapshots=s):
        x = x * np.sin(x + t)
    return x


def whole_loop_again(x):
    error = 1.0
    with checkpoint():
        while error > 0.1:
            x = np.sin(x) + error
            error = error * 0.5
    return x * x
