def line_search_grad(a, b):
    """Gradient of line_search with respect to a and b."""
    returned = False
    x = 0.2
    y = 0.1
    kept = []
    x_saved = []
    y_saved = []
    for _ in range(4):
        difference = y - b * x * x
        gx = -2.0 * (a - x) - 20.0 * b * x * difference
        gy = 10.0 * (y - b * x * x)
        step = 1.0
        iterations = 0
        while True:
            f_x = x - step * gx
            f_y = y - step * gy
            total = (a - f_x) ** 2 + 5.0 * (f_y - b * f_x * f_x) ** 2
            total_2 = (a - x) ** 2 + 5.0 * (y - b * x * x) ** 2
            if not total > total_2 - 0.0001 * step * (gx**2 + gy**2):
                break
            iterations += 1
            step *= 0.5
            if step < 1e-08:
                returned = True
                break
        if not returned:
            x_saved.append(x)
            x = x - step * gx
            y_saved.append(y)
            y = y - step * gy
        kept.append((difference, iterations, step))
        if returned:
            break
    if returned:
        # for _ in range(4):
        a_bar = 0.0
        b_bar = 0.0
        x_bar = 0.0
        y_bar = 0.0
        result_bar = 1.0
    else:
        product = b * x
        # return (a - x) ** 2 + 5.0 * (y - b * x * x) ** 2
        y_bar = 10.0 * (y - product * x)
        product_bar = -y_bar * x
        x_bar = product_bar * b - y_bar * product
        b_bar = product_bar * x
        a_bar = 2.0 * (a - x)
        x_bar -= a_bar
        # for _ in range(4):
        result_bar = 0.0
    for difference, iterations, step in reversed(kept):
        if returned:
            # while f(x - step * gx, y - step * gy) > f(x, y) - 1e-4 * step * (gx**2...
            gx_bar = 0.0
            gy_bar = 0.0
        else:
            # x, y = x - step * gx, y - step * gy
            difference_bar = y_bar
            y = y_saved.pop()
            difference_bar_2 = x_bar
            x = x_saved.pop()
            gy_bar = -difference_bar * step
            gx_bar = -difference_bar_2 * step
        for _ in range(iterations):
            if returned:
                # return f(x, y)
                returned = False
                # return (a - x) ** 2 + 5.0 * (y - b * x * x) ** 2
                product = b * x
                difference_bar = 10.0 * result_bar * (y - product * x)
                y_bar += difference_bar
                x_bar -= difference_bar * product
                product_bar = -difference_bar * x
                b_bar += product_bar * x
                x_bar += product_bar * b
                difference_bar = 2 * result_bar * (a - x)
                a_bar += difference_bar
                x_bar -= difference_bar
                # if step < 1e-8:
                result_bar = 0.0
        # gy = 10.0 * (y - b * x * x)
        difference_bar = 10.0 * gy_bar
        y_bar += difference_bar
        x_bar -= difference_bar * b * x
        product_bar = -difference_bar * x
        b_bar += product_bar * x
        x_bar += product_bar * b
        # gx = -2.0 * (a - x) - 20.0 * b * x * (y - b * x * x)
        product = 20.0 * b
        product_bar = -gx_bar * difference
        difference_bar = -gx_bar * product * x
        y_bar += difference_bar
        x_bar -= difference_bar * b * x
        product_bar_2 = -difference_bar * x
        b_bar += product_bar_2 * x
        x_bar += product_bar_2 * b
        x_bar += product_bar * product
        b_bar += 20.0 * product_bar * x
        difference_bar = -2.0 * gx_bar
        a_bar += difference_bar
        x_bar -= difference_bar
    return a_bar, b_bar
