def householder_qr_grad(a, b):
    """Gradient of householder_qr with respect to a and b."""
    r = a.copy()
    y = b.copy()
    length = r.shape[1]
    item_2_saved = []
    item_saved = []
    product_saved = []
    product_2_saved = []
    product_3_saved = []
    product_4_saved = []
    sign_saved = []
    sqrt_saved = []
    sqrt_2_saved = []
    v_saved = []
    v_2_saved = []
    v_3_saved = []
    for k in range(length):
        item = r[k:, k]
        v = item.copy()
        sign = np.sign(v[0])
        sqrt = np.sqrt(np.sum(v**2))
        v_2 = v.copy()
        v_2[0] += sign * sqrt
        sqrt_2 = np.sqrt(np.sum(v_2**2))
        v_3 = v_2 / sqrt_2
        item = r[k:, k:]
        item_part = item.copy()
        product = v_3 @ item
        r[k:, k:] -= 2.0 * np.outer(v_3, product)
        product_2 = 2.0 * v_3
        item = y[k:]
        item_part_2 = item.copy()
        product_3 = v_3 @ item
        product_4 = product_2 * product_3
        y[k:] -= product_4
        item_2_saved.append(item_part)
        item_saved.append(item_part_2)
        product_saved.append(product)
        product_2_saved.append(product_2)
        product_3_saved.append(product_3)
        product_4_saved.append(product_4)
        sign_saved.append(sign)
        sqrt_saved.append(sqrt)
        sqrt_2_saved.append(sqrt_2)
        v_saved.append(v)
        v_2_saved.append(v_2)
        v_3_saved.append(v_3)
    n = r.shape[1]
    difference = n - 1
    item_saved_2 = []
    item_2_saved_2 = []
    item_3_saved = []
    quotient_saved = []
    for k_2 in range(difference, -1, -1):
        k = k_2
        bound = k + 1
        item = r[k, bound:]
        item_part = item.copy()
        item_2 = y[bound:n]
        item_part_2 = item_2.copy()
        item_3 = r[k, k]
        quotient = (y[k] - item @ item_2) / item_3
        y[k] = quotient
        item_saved_2.append(item_part)
        item_2_saved_2.append(item_part_2)
        item_3_saved.append(item_3)
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
    for k_2 in reversed(range(difference, -1, -1)):
        # for k in range(n - 1, -1, -1):
        quotient = quotient_saved.pop()
        item_3 = item_3_saved.pop()
        item_2 = item_2_saved_2.pop()
        item = item_saved_2.pop()
        k = k_2
        # y[k] = (y[k] - r[k, k + 1 :] @ y[k + 1 : n]) / r[k, k]
        quotient_bar = y_bar[k]
        y_bar[k] = 0.0
        product = quotient_bar / item_3
        difference_bar = 0.0 if quotient_bar == 0.0 else product
        item_bar = 0.0 if quotient_bar == 0.0 else -product * quotient
        r_bar[k, k] += item_bar
        product_bar = -difference_bar
        item_bar = product_bar * item_2
        item_bar_2 = product_bar * item
        bound = k + 1
        y_bar[bound:n] += item_bar_2
        r_bar[k, bound:] += item_bar
        y_bar[k] += difference_bar
    for k in reversed(range(length)):
        # y[k:] -= 2.0 * v * (v @ y[k:])
        v_3 = v_3_saved.pop()
        v_2 = v_2_saved.pop()
        v = v_saved.pop()
        sqrt_2 = sqrt_2_saved.pop()
        sqrt = sqrt_saved.pop()
        sign = sign_saved.pop()
        product_4 = product_4_saved.pop()
        product_3 = product_3_saved.pop()
        product_2 = product_2_saved.pop()
        product = product_saved.pop()
        item = item_saved.pop()
        item_2 = item_2_saved.pop()
        result = sum_to_shape_of(y_bar[k:], product_4)
        product_bar = -(result @ product_2)
        v_bar = product_bar * item
        item_bar = product_bar * v_3
        y_bar = y_bar.copy()
        y_bar[k:] += item_bar
        v_bar = v_bar - 2.0 * product_3 * result
        # r[k:, k:] -= 2.0 * np.outer(v, v @ r[k:, k:])
        outer_bar = -2.0 * r_bar[k:, k:]
        product_bar = v_3 @ outer_bar
        v_bar = v_bar + outer_bar @ product
        item_bar = np.outer(v_3, product_bar)
        v_bar = v_bar + item_2 @ product_bar
        r_bar[k:, k:] += item_bar
        # v /= np.sqrt(np.sum(v**2))
        v_bar_2 = v_bar / sqrt_2
        v_bar_2 = v_bar_2 - np.sum(v_bar * v_3) / sqrt_2 / sqrt_2 * v_2
        # v[0] += np.sign(v[0]) * np.sqrt(np.sum(v**2))
        full = np.broadcast_to(v_bar_2, v_2.shape)
        v_bar = full
        v_bar = v_bar + full[0] * sign / sqrt * v
        # v = r[k:, k].copy()
        r_bar[k:, k] += v_bar
    return r_bar, y_bar
