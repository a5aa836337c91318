def cholesky_in_place_grad(a, b):
    """Gradient of cholesky_in_place with respect to a and b."""
    transposed = a.T
    a_2 = 0.5 * (a + transposed)
    b_2 = b.copy()
    n = len(a_2)
    item_saved = []
    item_3_saved = []
    item_2_saved = []
    quotient_saved = []
    sqrt_saved = []
    for k in range(n):
        sqrt = np.sqrt(a_2[k, k])
        a_2[k, k] = sqrt
        bound = k + 1
        item = a_2[k, k]
        item_2 = a_2[bound:, k]
        quotient = item_2 / item
        a_2[bound:, k] = quotient
        for j in range(k + 1, n):
            item_2 = a_2[j, k]
            item_3 = a_2[j:, k]
            item_part = item_3.copy()
            a_2[j:, j] -= item_3 * item_2
            item_3_saved.append(item_part)
            item_2_saved.append(item_2)
        item_saved.append(item)
        quotient_saved.append(quotient)
        sqrt_saved.append(sqrt)
    item_3_saved_2 = []
    item_2_saved_2 = []
    item_saved_2 = []
    quotient_saved_2 = []
    for i in range(n):
        item = a_2[i, :i]
        item_part = item.copy()
        item_2 = b_2[:i]
        item_part_2 = item_2.copy()
        b_2[i] -= item @ item_2
        item = a_2[i, i]
        quotient = b_2[i] / item
        b_2[i] = quotient
        item_3_saved_2.append(item_part)
        item_2_saved_2.append(item_part_2)
        item_saved_2.append(item)
        quotient_saved_2.append(quotient)
    diag = np.diag(a_2)
    # return b @ b + 2.0 * np.sum(np.log(np.diag(a)))
    diag_bar = 2.0 / diag
    a_2_bar = np.zeros_like(a_2)
    a_2_bar[diagonal_index(a_2, 0)] = diag_bar
    b_2_bar = b_2 + b_2
    for i in reversed(range(n)):
        # b[i] /= a[i, i]
        quotient = quotient_saved_2.pop()
        item = item_saved_2.pop()
        item_2 = item_2_saved_2.pop()
        item_3 = item_3_saved_2.pop()
        quotient_bar = b_2_bar[i]
        product = quotient_bar / item
        item_bar = 0.0 if quotient_bar == 0.0 else -product * quotient
        a_2_bar[i, i] += item_bar
        b_2_bar[i] = 0.0 if quotient_bar == 0.0 else product
        # b[i] -= a[i, :i] @ b[:i]
        product_bar = -b_2_bar[i]
        item_bar = product_bar * item_2
        item_bar_2 = product_bar * item_3
        b_2_bar[:i] += item_bar_2
        a_2_bar[i, :i] += item_bar
    for k in reversed(range(n)):
        # a[k + 1 :, k] /= a[k, k]
        sqrt = sqrt_saved.pop()
        quotient = quotient_saved.pop()
        item = item_saved.pop()
        for j in reversed(range(k + 1, n)):
            # a[j:, j] -= a[j:, k] * a[j, k]
            item_2 = item_2_saved.pop()
            item_3 = item_3_saved.pop()
            result = a_2_bar[j:, j]
            item_bar = -item_2 * result
            item_bar_2 = -(result @ item_3)
            a_2_bar[j:, k] += item_bar
            a_2_bar[j, k] += item_bar_2
        bound = k + 1
        quotient_bar = a_2_bar[bound:, k].copy()
        product = quotient_bar / item
        item_bar = np.where(quotient_bar == 0.0, 0.0, product)
        where = np.where(quotient_bar == 0.0, 0.0, -product * quotient)
        a_2_bar[bound:, k] = item_bar
        a_2_bar[k, k] += np.sum(where)
        # a[k, k] = np.sqrt(a[k, k])
        sqrt_bar = a_2_bar[k, k]
        item_bar = 0.0 if sqrt_bar == 0.0 else 0.5 * sqrt_bar / sqrt
        a_2_bar[k, k] = item_bar
    # a, b = 0.5 * (a + a.T), b.copy()
    total_bar = 0.5 * a_2_bar
    a_bar = total_bar
    transposed_bar = total_bar
    a_bar += transposed_bar.T
    return a_bar, b_2_bar
