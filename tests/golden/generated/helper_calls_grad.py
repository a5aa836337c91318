def helper_calls_grad(steepness, centre, x, y):
    """Gradient of helper_calls with respect to steepness and centre."""
    difference = x - centre
    sigmoid_x = steepness * difference
    exp = np.exp(-sigmoid_x)
    total = 1.0 + exp
    predicted = 1.0 / total
    residual = predicted - y
    width = 0.5
    quotient = residual / width
    # return 1.0 / (1.0 + np.exp(-x))
    product = width**2 / width * quotient * predicted * exp
    sigmoid_x_bar = product / np.sqrt(1.0 + quotient**2) / total
    # predicted = sigmoid(steepness * (x - centre))
    steepness_bar = sigmoid_x_bar @ difference
    centre_bar = -np.sum(sigmoid_x_bar) * steepness
    return steepness_bar, centre_bar
