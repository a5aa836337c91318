def householder_qr_grad(a, b):
    """Gradient of householder_qr with respect to a and b."""
    r = a.copy()
    y = b.copy()
    length = r.shape[1]
    kept = []
    v_saved = []
    for k in range(length):
        item = r[k:, k]
        v = item.copy()
        sign = np.sign(v[0])
        sqrt = np.sqrt(np.sum(v**2))
        v[0] += sign * sqrt
        sqrt_2 = np.sqrt(np.sum(v**2))
        v_2 = v / sqrt_2
        item = r[k:, k:]
        product = v_2 @ item
        old = r[k:, k:].copy()
        r[k:, k:] -= 2.0 * np.outer(v_2, product)
        item = y[k:]
        product_2 = v_2 @ item
        old_2 = y[k:].copy()
        y[k:] -= 2.0 * v_2 * product_2
        kept.append((old, old_2, product, product_2, sign, sqrt, sqrt_2))
        v_saved.append(v)
    n = r.shape[1]
    old_saved = []
    quotient_saved = []
    for k in reversed(range(n)):
        bound = k + 1
        item = r[k, bound:]
        item_2 = y[bound:n]
        quotient = (y[k] - item @ item_2) / r[k, k]
        old = y[k]
        y[k] = quotient
        old_saved.append(old)
        quotient_saved.append(quotient)
    item = y[:n]
    item_2 = y[n:]
    # return np.sum(y[:n] ** 2) + 3.0 * np.sum(y[n:] ** 2)
    item_bar = 6.0 * item_2
    y_bar = np.zeros_like(y)
    y_bar[n:] = item_bar
    item_bar = 2.0 * item
    y_bar[:n] += item_bar
    # for k in range(n - 1, -1, -1):
    r_bar = np.zeros_like(r)
    for k in range(n):
        # y[k] = (y[k] - r[k, k + 1 :] @ y[k + 1 : n]) / r[k, k]
        quotient = quotient_saved.pop()
        old = old_saved.pop()
        y[k] = old
        quotient_bar = y_bar[k]
        y_bar[k] = 0.0
        product = quotient_bar / r[k, k]
        difference_bar = 0.0 if quotient_bar == 0.0 else product
        item_bar = 0.0 if quotient_bar == 0.0 else -product * quotient
        r_bar[k, k] += item_bar
        bound = k + 1
        item = r[k, bound:]
        item_2 = y[bound:n]
        item_bar = -difference_bar * item_2
        item_bar_2 = -difference_bar * item
        y_bar[bound:n] += item_bar_2
        r_bar[k, bound:] += item_bar
        y_bar[k] += difference_bar
    for k in reversed(range(length)):
        # y[k:] -= 2.0 * v * (v @ y[k:])
        v = v_saved.pop()
        old, old_2, product, product_2, sign, sqrt, sqrt_2 = kept.pop()
        y[k:] = old_2
        v_2 = v / sqrt_2
        result = sum_to_shape_of(y_bar[k:], 2.0 * product_2 * v_2)
        product_bar = -2.0 * (result @ v_2)
        item = y[k:]
        v_bar = product_bar * item
        item_bar = product_bar * v_2
        y_bar = y_bar.copy()
        y_bar[k:] += item_bar
        v_bar = v_bar - 2.0 * product_2 * result
        # r[k:, k:] -= 2.0 * np.outer(v, v @ r[k:, k:])
        r[k:, k:] = old
        outer_bar = -2.0 * r_bar[k:, k:]
        product_bar = v_2 @ outer_bar
        v_bar = v_bar + outer_bar @ product
        item = r[k:, k:]
        item_bar = np.outer(v_2, product_bar)
        v_bar = v_bar + item @ product_bar
        r_bar[k:, k:] += item_bar
        # v /= np.sqrt(np.sum(v**2))
        v_bar_2 = v_bar / sqrt_2
        v_bar_2 = v_bar_2 - np.sum(v_bar * v_2) / sqrt_2 * v_2
        # v[0] += np.sign(v[0]) * np.sqrt(np.sum(v**2))
        full = np.broadcast_to(v_bar_2, v.shape)
        v_bar = full
        item = r[k:, k]
        v = item.copy()
        v_bar = v_bar + full[0] * sign / sqrt * v
        # v = r[k:, k].copy()
        r_bar[k:, k] += v_bar
    return r_bar, y_bar
