def heat_ping_pong_grad(u, conductivity):
    """Gradient of heat_ping_pong with respect to u and conductivity."""
    now = u.copy()
    after = u.copy()
    difference_saved = []
    for step in range(5):
        difference = (
            now[2:, 1:-1]
            + now[:-2, 1:-1]
            + now[1:-1, 2:]
            + now[1:-1, :-2]
            - 4.0 * now[1:-1, 1:-1]
        )
        after[1:-1, 1:-1] = now[1:-1, 1:-1] + conductivity * difference
        after[0] = after[1]
        after[-1] = after[-2]
        now_2 = now
        now = after
        after = now_2
        difference_saved.append(difference)
    # return np.sum(now**2) + np.sum(now[2] * after[2])
    after_bar = np.zeros_like(after)
    after_bar[2] = now[2]
    product = 2.0 * now
    product[2] += after[2]
    now_bar = product
    # for step in range(5):
    conductivity_bar = 0.0
    for step in reversed(range(5)):
        # now, after = after, now
        difference = difference_saved.pop()
        now_bar_2 = after_bar
        # after[0], after[-1] = after[1], after[-2]
        item_bar = now_bar[-1].copy()
        now_bar[-1] = 0.0
        after_bar = now_bar
        after_bar[-2] += item_bar
        item_bar = after_bar[0].copy()
        after_bar[0] = 0.0
        after_bar[1] += item_bar
        # after[1:-1, 1:-1] = now[1:-1, 1:-1] + conductivity * (now[2:, 1:-1] + now[:...
        total_bar = after_bar[1:-1, 1:-1].copy()
        after_bar[1:-1, 1:-1] = 0.0
        conductivity_bar += np.sum(total_bar * difference)
        difference_bar = conductivity * total_bar
        now_bar_2[1:-1, :-2] += difference_bar
        now_bar = now_bar_2
        now_bar[1:-1, 2:] += difference_bar
        now_bar[:-2, 1:-1] += difference_bar
        now_bar[2:, 1:-1] += difference_bar
        now_bar[1:-1, 1:-1] += total_bar - 4.0 * difference_bar
    # now, after = u.copy(), u.copy()
    u_bar = after_bar + now_bar
    return u_bar, conductivity_bar
