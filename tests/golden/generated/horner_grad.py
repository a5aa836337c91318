def horner_grad(x, c):
    """Gradient of horner with respect to x and c."""
    value = 0.0
    value_saved = []
    for k in range(len(c)):
        value_saved.append(value)
        value = value * x + c[k]
    # for k in range(len(c)):
    c_bar = np.zeros_like(c)
    value_bar = 1.0
    x_bar = 0.0
    for k in reversed(range(len(c))):
        # value = value * x + c[k]
        value = value_saved.pop()
        c_bar[k] = value_bar
        x_bar += value_bar * value
        value_bar = value_bar * x
    return x_bar, c_bar
