"""Views: several names, one memory, with other shapes, orders and strides."""

CASES = {
    "a slice is written": (
        "the base sees what is stored through the view, and the other way round",
        """
        def program(x, v):
            a = v * x
            b = a[1:]
            b[0] = x**2
            a[2] *= b[0]
            return np.sum(a**2) + b[1] * v[0]
        """,
    ),
    "a view of a view": (
        "places are counted through two slices with steps",
        """
        def program(x, v):
            a = np.zeros(8)
            a[:] = np.repeat(v, 3)[:8] * x
            b = a[1::2]
            c = b[::-1][1:]
            c[0] = x
            c *= c
            a[3] += b[0]
            return np.sum(a**2) + c[-1] * b[2]
        """,
    ),
    "two views that overlap": (
        "a store through one is read through the other",
        """
        def program(x, v):
            a = v * x
            left, right = a[:-1], a[1:]
            left[1] = np.sin(left[0])
            right += left
            left *= right
            return np.sum(left**2) + right[1] * x
        """,
    ),
    "two views that don't overlap": (
        "rows of one array: a store into one must not touch the other's adjoint",
        """
        def program(x, m):
            a = m * x
            top, bottom = a
            top *= bottom
            bottom[:] = top**2
            top[0] = bottom[2]
            return np.sum(a**2) + top[0] * x
        """,
    ),
    "the transpose": (
        "a.T is written by columns of a",
        """
        def program(x, v, m):
            a = m * x
            t = a.T
            t[0] = v[:2]
            t[1:, 1] *= t[0, 0]
            a[0] = t[:, 1] ** 2
            return np.sum(t * m.T) + np.sum(a**2)
        """,
    ),
    "reshape is a view here": (
        "of a contiguous array reshape shares memory",
        """
        def program(x, m):
            a = m * x
            b = a.reshape(3, 2)
            b[1] = x
            b[:, 0] *= b[:, 1]
            c = np.reshape(a, -1)
            c[4:] = c[:2] ** 2
            return np.sum(a**2 * m) + np.sum(b[2])
        """,
    ),
    "reshape is a copy here": (
        "of a transposed array reshape copies: the base doesn't see the store",
        """
        def program(x, m):
            a = m * x
            b = a.T.reshape(6)
            b[1] = x**2
            b *= a[0, 0]
            a[0] = b[:3]
            return np.sum(a**2) + np.sum(b**2)
        """,
    ),
    "reshape may be either": (
        "whether it is a view depends on which array came, known when it runs",
        """
        def program(x, m):
            a = m * x
            b = a if x > 0.0 else a.T
            c = b.reshape(6)
            c[0] = x * x
            c[3] *= c[0]
            return np.sum(a**2) + c[0] * c[3]
        """,
    ),
    "ravel and flatten": (
        "ravel is a view of what is contiguous, flatten always copies",
        """
        def program(x, m):
            a = m * x
            b, c, d = a.ravel(), a.flatten(), a.T.ravel()
            b[0] = x**2
            c[1] = x
            d[2] *= x
            b[5] = c[1] * b[0] + d[2]
            return np.sum(a**2) + np.sum(c * b) + np.sum(d)
        """,
    ),
    "flat": (
        ".flat is written by flat places, by slices and as a whole",
        """
        def program(x, v, m):
            a = m * x
            a.flat[1] = x
            a.flat[3:5] = v[:2]
            a.T.flat[0] = a.flat[4] ** 2
            total = sum(e * e for e in a.flat)
            a.flat = v
            return total * np.sum(a**2)
        """,
    ),
    "swapaxes, moveaxis, squeeze": (
        "axes are exchanged, moved and dropped without a copy",
        """
        def program(x, v, r):
            a = r * x
            s = np.squeeze(a)
            s[0] = x
            t = np.swapaxes(a, 0, 1)
            t[1:, 0] *= s[0]
            u = np.moveaxis(a[None], 0, -1)
            u[..., 0] += v
            w = np.expand_dims(s, 1)
            w[2] = t[0] ** 2
            return np.sum(a**2)
        """,
    ),
    "a diagonal is read": (
        "np.diagonal is a read-only view that sees later stores; np.diag copies",
        """
        def program(x, v):
            a = np.outer(v, v) * x
            d, e = a.diagonal(), np.diag(a).copy()
            a[0, 0] = x
            a[1, 1] *= d[0]
            e[2] = a[1, 1]
            return np.sum(d**2) + np.sum(e * v)
        """,
    ),
    "a diagonal is written": (
        "through a slice of the flat view with the step n + 1",
        """
        def program(x, v):
            a = np.outer(v, v)
            a.ravel()[::4] = x * v
            a.reshape(-1)[::4] += 1.0
            np.einsum("ii->i", a)[1:] *= x
            return np.sum(a @ a)
        """,
    ),
    "np.split": (
        "gives a list of views, each of which is written",
        """
        def program(x, m):
            a = m * x
            parts = np.split(a, 3, axis=1)
            for k, part in enumerate(parts):
                part *= k + x
                part[0] = part[1] ** 2
            first, rest = np.array_split(a[0], 2)
            rest[:] = first[:1]
            return np.sum(a**2)
        """,
    ),
    "sliding windows": (
        "windows overlap and are read-only, and see stores into the base",
        """
        def program(x, v):
            a = np.concatenate([v, v[:2] * x])
            w = np.lib.stride_tricks.sliding_window_view(a, 3)
            before = np.sum(w**2)
            a[2] = np.sum(w[0]) * x
            a[1:3] *= x
            return before * np.sum(w[1] * w[2]) + np.sum(w @ v)
        """,
    ),
    "as_strided": (
        "a writable view in which one place stands several times",
        """
        def program(x, v):
            a = v * x
            step = a.strides[0]
            w = np.lib.stride_tricks.as_strided(a, (2, 2), (step, step))
            w[0, 1] = x
            w[1] *= w[0, 1]
            return np.sum(w**2) + np.sum(a * v)
        """,
    ),
    "broadcast_to": (
        "a read-only view in which each element stands many times",
        """
        def program(x, v):
            a = v * x
            b = np.broadcast_to(a, (2, 3))
            a[0] = x**2
            c = np.array(b)
            c[1] *= b[0, 0]
            a *= c[1]
            return np.sum(b**2) + np.sum(c)
        """,
    ),
    "the rows of a loop are views": (
        "for row in m: row *= writes into m",
        """
        def program(x, m):
            a = m * x
            for row in a:
                row *= np.sum(row)
                row[1] = x
            for column in a.T:
                column += column[::-1]
            return np.sum(a**2)
        """,
    ),
    "rows in enumerate and zip": (
        "views come out of iterators, one of them of the other's base",
        """
        def program(x, v, m):
            a = m * x
            for i, (row, other) in enumerate(zip(a, a[::-1])):
                row[i] = other[i + 1] * v[i]
                other -= row
            for row in reversed(a):
                row **= 2
            return np.sum(a * m)
        """,
    ),
    "a view kept from an earlier iteration": (
        "last iteration's row is written in this one",
        """
        def program(x, m):
            a = np.vstack([m * x, m])
            previous = a[0]
            for i in range(1, 4):
                row = a[i]
                previous[1] *= row[0]
                row += previous * x
                previous = row
            return np.sum(a**2) + previous[0]
        """,
    ),
    "a window that moves": (
        "the bounds of the view are carried through the loop",
        """
        def program(x, v):
            a = np.tile(v, 2) * x
            for i in range(1, 5):
                window = a[i - 1 : i + 2]
                window[1] = np.sum(window) * 0.5
                window[:] = np.sin(window)
            return np.sum(a**2)
        """,
    ),
    "a view chosen by a branch": (
        "which part is written is known only when it runs",
        """
        def program(x, m):
            a = m * x
            if x > 0.0:
                part = a[0]
            else:
                part = a[:, 1]
            part[1] = x**2
            part *= part[0]
            return np.sum(a**2)
        """,
    ),
    "view and asarray": (
        "a.view(), np.asarray and ascontiguousarray share, np.array copies",
        """
        def program(x, v):
            a = v * x
            b, c, d = a.view(), np.asarray(a), np.array(a)
            e = np.ascontiguousarray(a[::-1])
            f = np.ascontiguousarray(a)
            b[0] = x
            c[1] *= b[0]
            d[2] = c[1]
            e[0] = d[2]
            f[2] = e[0] ** 2
            return np.sum(a**2) + np.sum(d * e)
        """,
    ),
    "atleast_2d, rot90, flip": (
        "functions that one forgets are views",
        """
        def program(x, v, m):
            a = v * x
            np.atleast_2d(a)[0, 1] = x
            np.flip(a)[0] *= a[1]
            b = m * x
            np.rot90(b)[0] = v[:2]
            np.fliplr(b)[:, 0] **= 2
            np.roll(b, 1)[0] = 100.0
            return np.sum(a**2) + np.sum(b**2)
        """,
    ),
    "a view outlives its name": (
        "the base's name is bound to another array, the view keeps the old one",
        """
        def program(x, v):
            a = v * x
            b = a[:2]
            a = np.sin(a)
            a[0] = x
            b[1] = a[0] * b[0]
            a[:2] += b
            return np.sum(a**2) + np.sum(b**2)
        """,
    ),
    "indexing with an array copies": (
        "a[[0, 1]] is no view, so its change stays outside; a[0:2] is one",
        """
        def program(x, v):
            a = v * x
            b, c, d = a[[0, 1]], a[0:2], a[v > -100.0]
            b[0] = x
            c[1] = b[0] ** 2
            d *= c[1]
            return np.sum(a**2) + np.sum(b * c) + np.sum(d)
        """,
    ),
    "a view of the result of a call": (
        "a helper returns a view of its argument, which is written",
        """
        def middle(t):
            return t[1:-1]

        def program(x, v):
            a = np.concatenate([v, v * x])
            middle(a)[:] *= x
            inner = middle(middle(a))
            inner[0] = x**2
            return np.sum(a**2) + inner[1]
        """,
    ),
    "three axes": (
        "views that drop one of three axes, in any place",
        """
        def program(x, v, m):
            a = np.empty((2, 2, 3))
            a[0], a[1] = m, m * x
            a[:, 1, :] = a[:, 0] ** 2
            face = a[..., 2]
            face[1] = x
            a.transpose(2, 0, 1)[0] *= face
            a[1, :, 1:].reshape(4)[3] = v[0]
            return np.sum(a**2)
        """,
    ),
}
