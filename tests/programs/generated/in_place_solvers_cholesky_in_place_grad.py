def cholesky_in_place_grad(a, b):
    """Gradient of cholesky_in_place with respect to a and b."""
    a = 0.5 * (a + a.T)
    b = b.copy()
    n = len(a)
    kept = []
    item_3_saved = []
    item_2_saved = []
    for k in range(n):
        sqrt = np.sqrt(a[k, k])
        a[k, k] = sqrt
        bound = k + 1
        item = a[k, k]
        item_2 = a[bound:, k]
        quotient = item_2 / item
        a[bound:, k] = quotient
        for j in range(k + 1, n):
            item_2 = a[j, k]
            item_3 = a[j:, k]
            item_part = item_3.copy()
            a[j:, j] -= item_3 * item_2
            item_3_saved.append(item_part)
            item_2_saved.append(item_2)
        kept.append((item, quotient, sqrt))
    item_2_saved_2 = []
    quotient_saved = []
    for i in range(n):
        item = a[i, :i]
        item_2 = b[:i]
        item_part = item_2.copy()
        b[i] -= item @ item_2
        quotient = b[i] / a[i, i]
        b[i] = quotient
        item_2_saved_2.append(item_part)
        quotient_saved.append(quotient)
    diag = np.diag(a)
    # return b @ b + 2.0 * np.sum(np.log(np.diag(a)))
    diag_bar = 2.0 / diag
    a_bar = np.zeros_like(a)
    a_bar[diagonal_index(a, 0)] = diag_bar
    b_bar = 2.0 * b
    for i in reversed(range(n)):
        # b[i] /= a[i, i]
        quotient = quotient_saved.pop()
        item_2 = item_2_saved_2.pop()
        quotient_bar = b_bar[i]
        product = quotient_bar / a[i, i]
        item_bar = 0.0 if quotient_bar == 0.0 else -product * quotient
        a_bar[i, i] += item_bar
        b_bar[i] = 0.0 if quotient_bar == 0.0 else product
        # b[i] -= a[i, :i] @ b[:i]
        result = b_bar.item(i)
        item = a[i, :i]
        item_bar = -result * item_2
        item_bar_2 = -result * item
        b_bar[:i] += item_bar_2
        a_bar[i, :i] += item_bar
    for k in reversed(range(n)):
        # a[k + 1 :, k] /= a[k, k]
        item, quotient, sqrt = kept.pop()
        for j in reversed(range(k + 1, n)):
            # a[j:, j] -= a[j:, k] * a[j, k]
            item_2 = item_2_saved.pop()
            item_3 = item_3_saved.pop()
            result = a_bar[j:, j]
            item_bar = -item_2 * result
            item_bar_2 = -(result @ item_3)
            a_bar[j:, k] += item_bar
            a_bar[j, k] += item_bar_2
        bound = k + 1
        quotient_bar = a_bar[bound:, k].copy()
        product = quotient_bar / item
        item_bar = np.where(quotient_bar == 0.0, 0.0, product)
        where = np.where(quotient_bar == 0.0, 0.0, -product * quotient)
        a_bar[bound:, k] = item_bar
        a_bar[k, k] += np.sum(where)
        # a[k, k] = np.sqrt(a[k, k])
        sqrt_bar = a_bar[k, k]
        item_bar = 0.0 if sqrt_bar == 0.0 else 0.5 * sqrt_bar / sqrt
        a_bar[k, k] = item_bar
    # a, b = 0.5 * (a + a.T), b.copy()
    total_bar = 0.5 * a_bar
    a_bar = total_bar
    a_bar += total_bar.T
    return a_bar, b_bar
