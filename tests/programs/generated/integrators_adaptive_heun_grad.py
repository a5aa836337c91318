def adaptive_heun_grad(y0, rate, tolerance):
    """Gradient of adaptive_heun with respect to y0 and rate."""
    t = 0.0
    y = y0
    h = 0.3
    rejected = 0
    left_loop = False
    condition_saved = []
    h_saved = []
    kept = []
    y_saved = []
    while True:
        h_saved.append(h)
        h = min(h, 2.0 - t)
        product = rate * y
        difference = 1.0 - y / 3.0
        k1 = product * difference
        f_y = y + h * k1
        difference_2 = 1.0 - f_y / 3.0
        k2 = rate * f_y * difference_2
        error = abs(0.5 * h * (k2 - k1))
        condition = error > 100.0 * tolerance
        kept.append((product, difference, f_y, difference_2, condition))
        if condition:
            h_saved.append(h)
            h *= 0.5
            rejected += 1
            if rejected > 20:
                raise RuntimeError("step size underflow")
        else:
            t = t + h
            y_saved.append(y)
            y = y + 0.5 * h * (k1 + k2)
            if t >= 2.0:
                left_loop = True
                break
            condition = error < 10.0 * tolerance
            if condition:
                h_saved.append(h)
                h = 1.5 * h
            condition_saved.append(condition)
    # while True:
    rate_bar = 0.0
    y_bar = 1.0
    for product, difference, f_y, difference_2, condition in reversed(kept):
        if condition:
            # h *= 0.5
            h = h_saved.pop()
            # if error > 100.0 * tolerance:
            k2_bar = 0.0
            k1_bar = 0.0
        else:
            if left_loop:
                # break
                left_loop = False
            else:
                condition = condition_saved.pop()
                if condition:
                    # h = 1.5 * h
                    h = h_saved.pop()
            # t, y = t + h, y + 0.5 * h * (k1 + k2)
            total_bar = y_bar
            y = y_saved.pop()
            k2_bar = 0.5 * total_bar * h
            k1_bar = k2_bar
        # return rate * y * (1.0 - y / 3.0)
        product_bar = k2_bar * difference_2
        rate_bar += product_bar * f_y
        f_y_bar = product_bar * rate - 0.3333333333333333 * k2_bar * rate * f_y
        # k2 = f(y + h * k1)
        y_bar += f_y_bar
        k1_bar += f_y_bar * h
        # return rate * y * (1.0 - y / 3.0)
        product_bar = k1_bar * difference
        y_bar -= 0.3333333333333333 * k1_bar * product
        rate_bar += product_bar * y
        y_bar += product_bar * rate
        # h = min(h, 2.0 - t)
        h = h_saved.pop()
    return y_bar, rate_bar
