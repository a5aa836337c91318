def bisection_then_newton_grad(c):
    """Gradient of bisection_then_newton with respect to c."""
    eccentricity = 0.4
    low = 0.0
    high = math.pi
    while high - low > 0.5:
        middle = 0.5 * (low + high)
        if middle - eccentricity * math.sin(middle) < c:
            low = middle
        else:
            high = middle
    anomaly = 0.5 * (low + high)
    left_loop = False
    iterations = 0
    anomaly_saved = []
    difference_saved = []
    quotient_saved = []
    while True:
        iterations += 1
        error = anomaly - eccentricity * math.sin(anomaly) - c
        if not abs(error) > TOLERANCE:
            left_loop = True
            break
        difference = 1.0 - eccentricity * math.cos(anomaly)
        quotient = error / difference
        anomaly_saved.append(anomaly)
        anomaly -= quotient
        difference_saved.append(difference)
        quotient_saved.append(quotient)
    # return anomaly**2
    anomaly_bar = 2 * anomaly
    # while abs(error := anomaly - eccentricity * math.sin(anomaly) - c) > TOLERANCE:
    c_bar = 0.0
    for _ in range(iterations):
        if left_loop:
            # while abs(error := anomaly - eccentricity * math.sin(anomaly) - c) > TO...
            left_loop = False
            error_bar = 0.0
        else:
            # anomaly -= error / (1.0 - eccentricity * math.cos(anomaly))
            quotient = quotient_saved.pop()
            difference = difference_saved.pop()
            anomaly = anomaly_saved.pop()
            error_bar = -anomaly_bar / difference
            product = error_bar * quotient * eccentricity * math.sin(anomaly)
            anomaly_bar -= product
        # while abs(error := anomaly - eccentricity * math.sin(anomaly) - c) > TOLERA...
        c_bar -= error_bar
        anomaly_bar += error_bar
        anomaly_bar -= error_bar * eccentricity * math.cos(anomaly)
    return (c_bar,)
