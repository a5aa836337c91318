def projectile_grad(speed, angle, drag):
    """Gradient of projectile with respect to speed, angle and drag."""
    returned = False
    x = 0.0
    y = 0.0
    cos = math.cos(angle)
    vx = speed * cos
    sin = math.sin(angle)
    vy = speed * sin
    dt = 0.02
    v_saved = []
    kept = []
    vx_saved = []
    vy_saved = []
    while True:
        v = math.hypot(vx, vy) if drag > 1.0 else math.sqrt(vx * vx + vy * vy)
        v_saved.append(v)
        vx_saved.append(vx)
        vx = vx - dt * drag * v * vx
        vy_saved.append(vy)
        vy = vy - dt * (9.81 + drag * v * vy)
        x_new = x + dt * vx
        y_new = y + dt * vy
        if y_new < 0.0:
            difference = y - y_new
            fraction = y / difference
            kept.append((difference, x_new - x, fraction))
            returned = True
            break
        x = x_new
        y = y_new
    # while True:
    drag_bar = 0.0
    result_bar = 1.0
    vx_bar = 0.0
    vy_bar = 0.0
    x_bar = 0.0
    y_bar = 0.0
    for vx, vy, v in zip(reversed(vx_saved), reversed(vy_saved), reversed(v_saved)):
        if returned:
            # return x + fraction * (x_new - x)
            difference, difference_2, fraction = kept.pop()
            returned = False
            x_bar += result_bar
            difference_bar = result_bar * fraction
            x_bar -= difference_bar
            x_new_bar = difference_bar
            # fraction = y / (y - y_new)
            product = result_bar * difference_2 / difference
            y_bar += product
            difference_bar = -product * fraction
            y_bar += difference_bar
            y_new_bar = -difference_bar
            # if y_new < 0.0:
            result_bar = 0.0
        else:
            # x, y = x_new, y_new
            y_new_bar = y_bar
            x_new_bar = x_bar
            # if y_new < 0.0:
            y_bar = 0.0
            x_bar = 0.0
        # x_new, y_new = x + dt * vx, y + dt * vy
        y_bar += y_new_bar
        vy_bar += y_new_bar * dt
        x_bar += x_new_bar
        vx_bar += x_new_bar * dt
        # vx, vy = vx - dt * drag * v * vx, vy - dt * (9.81 + drag * v * vy)
        product_bar = -vy_bar * dt
        vy_bar += product_bar * drag * v
        product_bar = product_bar * vy
        drag_bar += product_bar * v
        v_bar = product_bar * drag
        product = dt * drag
        vx_bar_2 = vx_bar - vx_bar * product * v
        product_bar = -vx_bar * vx
        v_bar += product_bar * product
        drag_bar += product_bar * v * dt
        if drag > 1.0:
            # v = math.hypot(vx, vy) if drag > 1.0 else math.sqrt(vx * vx + vy * vy)
            length = v + (v == 0)
            vx_bar = vx_bar_2 + v_bar * vx / length
            vy_bar += v_bar * vy / length
        else:
            # v = math.hypot(vx, vy) if drag > 1.0 else math.sqrt(vx * vx + vy * vy)
            total_bar = 0.0 if v_bar == 0.0 else quotient(0.5 * v_bar, v)
            vy_bar += 2 * total_bar * vy
            vx_bar = vx_bar_2 + 2 * total_bar * vx
    # vx, vy = speed * math.cos(angle), speed * math.sin(angle)
    speed_bar = vy_bar * sin
    angle_bar = vy_bar * speed * cos
    speed_bar += vx_bar * cos
    angle_bar -= vx_bar * speed * sin
    return speed_bar, angle_bar, drag_bar
