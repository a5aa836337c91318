def kalman_filter_grad(process_noise, sensor_noise, measurements):
    """Gradient of kalman_filter with respect to process_noise and sensor_noise."""
    mean = 0.0
    variance = 1.0
    kept = []
    for measurement in measurements:
        predicted = variance + process_noise
        total = predicted + sensor_noise
        innovation = measurement - mean
        gain = predicted / total
        mean = mean + gain * innovation
        variance = (1.0 - gain) * predicted
        kept.append((gain, innovation, predicted))
    # for measurement in measurements:
    mean_bar = 0.0
    process_noise_bar = 0.0
    sensor_noise_bar = 0.0
    variance_bar = 0.0
    for gain, innovation, predicted in reversed(kept):
        # variance = (1.0 - gain) * predicted
        predicted_bar = variance_bar * (1.0 - gain)
        # mean = mean + gain * innovation
        gain_bar = mean_bar * innovation - variance_bar * predicted
        innovation_bar = mean_bar * gain
        # gain = predicted / total
        total = predicted + sensor_noise
        product = gain_bar / total
        predicted_bar += product
        # cost += 0.5 * (np.log(total) + innovation**2 / total)
        innovation_bar += innovation / total
        product = product * gain + 0.5 * innovation * innovation / total / total
        total_bar = quotient(0.5, total) - product
        # innovation = measurement - mean
        mean_bar -= innovation_bar
        # total = predicted + sensor_noise
        predicted_bar += total_bar
        sensor_noise_bar += total_bar
        # predicted = variance + process_noise
        process_noise_bar += predicted_bar
        variance_bar = predicted_bar
    return process_noise_bar, sensor_noise_bar
