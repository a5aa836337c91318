def forward_algorithm_grad(a, b, start):
    """Gradient of forward_algorithm with respect to a, b and start."""
    states = len(start)
    steps = 5
    alpha = np.zeros((steps, states))
    item = b[:, OBSERVED[0]]
    alpha[0] = start * item
    item_2_saved = []
    item_2_saved_2 = []
    item_3_saved = []
    quotient_saved = []
    scale_saved = []
    for t in range(1, steps):
        scale = np.sum(alpha[t - 1])
        difference = t - 1
        quotient = alpha[difference] / scale
        alpha[difference] = quotient
        for j in range(states):
            for i in range(states):
                item_2 = alpha[t - 1, i]
                alpha[t, j] += item_2 * a[i, j]
                item_2_saved.append(item_2)
            item_2 = alpha[t, j]
            item_3 = (OBSERVED[0], OBSERVED[1], OBSERVED[2], OBSERVED[3], OBSERVED[4])[
                t
            ]
            alpha[t, j] = item_2 * b[j, item_3]
            item_2_saved_2.append(item_2)
            item_3_saved.append(item_3)
        quotient_saved.append(quotient)
        scale_saved.append(scale)
    # return log_likelihood + np.log(np.sum(alpha[-1]))
    alpha_bar = np.zeros_like(alpha)
    alpha_bar[-1] = 1.0 / np.sum(alpha[-1])
    # for t in range(1, steps):
    a_bar = np.zeros_like(a)
    b_bar = np.zeros_like(b)
    for t in reversed(range(1, steps)):
        # log_likelihood += np.log(scale)
        scale = scale_saved.pop()
        quotient = quotient_saved.pop()
        for j in reversed(range(states)):
            # alpha[t, j] *= b[j, OBSERVED[t]]
            item_3 = item_3_saved.pop()
            item_2 = item_2_saved_2.pop()
            product_bar = alpha_bar[t, j]
            b_bar[j, item_3] += product_bar * item_2
            alpha_bar[t, j] = product_bar * b[j, item_3]
            for i in reversed(range(states)):
                # alpha[t, j] += alpha[t - 1, i] * a[i, j]
                item_2 = item_2_saved.pop()
                product_bar = alpha_bar[t, j]
                a_bar[i, j] += product_bar * item_2
                alpha_bar[t - 1, i] += product_bar * a[i, j]
        scale_bar = 1.0 / scale
        # alpha[t - 1] /= scale
        difference = t - 1
        quotient_bar = alpha_bar[difference].copy()
        where = np.where(quotient_bar == 0.0, 0.0, -quotient_bar / scale * quotient)
        scale_bar += np.sum(where)
        item_bar = np.where(quotient_bar == 0.0, 0.0, quotient_bar / scale)
        alpha_bar[difference] = item_bar
        # scale = np.sum(alpha[t - 1])
        alpha_bar[t - 1] += scale_bar
    # alpha[0] = start * b[:, OBSERVED[0]]
    product_bar = alpha_bar[0].copy()
    start_bar = product_bar * item
    b_bar[:, OBSERVED[0]] += product_bar * start
    return a_bar, b_bar, start_bar
