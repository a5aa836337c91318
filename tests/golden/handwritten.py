"""The gradients of the programs, derived by hand: the measure for generated ones.

Each is the statement-by-statement adjoint of its program: forward the statements that
the reverse sweep needs (the value itself is not computed), then the adjoint of each
statement, last first. Arithmetic is as little as that allows: forward values are
reused, factors common to the contributions of one statement are shared, and scalar
factors are kept out of array expressions. The simplifications that any textbook makes
are made (a softmax doesn't depend on the shift; s' = s (1 - s) for the sigmoid), but
identities over several statements, such as closed forms of a whole gradient, are not
used. Of a checkpointed loop, the schedule is taken as given.
"""

import numpy as np

from s2sad.ops.runtime.snapshots import first_snapshots, snapshots_between


def linear_regression_grad(w, b, x, y):
    residual = x @ w + b - y
    residual_bar = residual * (2.0 / residual.size)
    return x.T @ residual_bar, np.sum(residual_bar)


def damped_map_grad(x, theta, n):
    x_saved = []
    phase_saved = []
    for i in range(n):
        x_saved.append(x)
        phase = theta * x
        phase_saved.append(phase)
        x = x + 0.1 * np.sin(phase)
    x_bar = 0.0
    theta_bar = 0.0
    for i in reversed(range(n)):
        x_bar += 2.0 * x
        x = x_saved[i]
        phase_bar = 0.1 * x_bar * np.cos(phase_saved[i])
        theta_bar += phase_bar * x
        x_bar += phase_bar * theta
    return x_bar, theta_bar


def checkpointed_map_grad(x, theta, n):
    kept = first_snapshots(range(n), 3)
    snapshots = []
    for i in range(n):
        if i in kept:
            snapshots.append(x)
        x = x + 0.1 * np.sin(theta * x)
    x_bar = 0.0
    theta_bar = 0.0
    for i in reversed(range(n)):
        start = kept[-1]
        kept = snapshots_between(kept, i, 3)
        x = snapshots.pop()
        for k in range(start, i):
            if k in kept:
                snapshots.append(x)
            x = x + 0.1 * np.sin(theta * x)
        phase = theta * x
        x_bar += 2.0 * (x + 0.1 * np.sin(phase))
        phase_bar = 0.1 * x_bar * np.cos(phase)
        theta_bar += phase_bar * x
        x_bar += phase_bar * theta
    return x_bar, theta_bar


def logistic_regression_grad(w, b, x, y):
    logits = x @ w + b
    softplus = np.logaddexp(0.0, logits)
    logits_bar = (np.exp(logits - softplus) - y) * (1.0 / logits.size)
    return x.T @ logits_bar, np.sum(logits_bar)


def softmax_regression_grad(w, b, x, labels):
    n = x.shape[0]
    logits = x @ w + b
    exponentials = np.exp(logits - np.max(logits, axis=1, keepdims=True))
    logits_bar = exponentials / (n * np.sum(exponentials, axis=1, keepdims=True))
    logits_bar[np.arange(n), labels] -= 1.0 / n
    return x.T @ logits_bar, np.sum(logits_bar, axis=0)


def mlp_grad(params, x, y):
    w2 = params["w2"]
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    difference = hidden @ w2 + params["b2"] - y
    output_bar = difference * (2.0 / difference.size)
    hidden_bar = output_bar @ w2.T
    activation_bar = hidden_bar * (1.0 - hidden**2)
    return {
        "w1": x.T @ activation_bar,
        "b1": np.sum(activation_bar, axis=0),
        "w2": hidden.T @ output_bar,
        "b2": np.sum(output_bar, axis=0),
    }


def rnn_grad(w, u, b, xs, target):
    h = np.zeros_like(b)
    h_saved = []
    for t in range(len(xs)):
        h_saved.append(h)
        h = np.tanh(w @ h + u @ xs[t] + b)
    h_bar = h - target
    w_bar = np.zeros_like(w)
    u_bar = np.zeros_like(u)
    b_bar = np.zeros_like(b)
    for t in reversed(range(len(xs))):
        activation_bar = h_bar * (1.0 - h**2)
        h = h_saved[t]
        w_bar += np.outer(activation_bar, h)
        u_bar += np.outer(activation_bar, xs[t])
        b_bar += activation_bar
        h_bar = w.T @ activation_bar
    return w_bar, u_bar, b_bar


def newton_sqrt_grad(a):
    estimate = a
    estimate_saved = []
    quotient_saved = []
    while abs(estimate * estimate - a) > 1e-12 * a:
        quotient = a / estimate
        estimate_saved.append(estimate)
        quotient_saved.append(quotient)
        estimate = 0.5 * (estimate + quotient)
    estimate_bar = 1.0
    a_bar = 0.0
    while estimate_saved:
        sum_bar = 0.5 * estimate_bar
        numerator_bar = sum_bar / estimate_saved.pop()
        a_bar += numerator_bar
        estimate_bar = sum_bar - numerator_bar * quotient_saved.pop()
    return a_bar + estimate_bar


def branches_in_loop_grad(x, rate, n):
    x_saved = []
    exponential_saved = []
    for i in range(n):
        x_saved.append(x)
        if x > 1.0:
            x = x - rate * x**2
        else:
            exponential = np.exp(-x)
            exponential_saved.append(exponential)
            x = x + rate * exponential
    x_bar = 0.0
    rate_bar = 0.0
    for i in reversed(range(n)):
        x_bar += 1.0 / x
        x = x_saved[i]
        if x > 1.0:
            factor_bar = x_bar * x
            rate_bar -= factor_bar * x
            x_bar -= 2.0 * rate * factor_bar
        else:
            factor_bar = x_bar * exponential_saved.pop()
            rate_bar += factor_bar
            x_bar -= rate * factor_bar
    return x_bar, rate_bar


def helper_calls_grad(steepness, centre, x, y):
    distance = x - centre
    predicted = 1.0 / (1.0 + np.exp(-(steepness * distance)))
    residual = predicted - y
    # d/dr of width**2 (sqrt(1 + (r / width)**2) - 1) is r / sqrt(...)
    predicted_bar = residual / np.sqrt(1.0 + (residual / 0.5) ** 2)
    phase_bar = predicted_bar * predicted * (1.0 - predicted)
    steepness_bar = phase_bar @ distance
    centre_bar = -steepness * np.sum(phase_bar)
    return steepness_bar, centre_bar


def horner_grad(x, c):
    value = 0.0
    value_saved = []
    for k in range(len(c)):
        value_saved.append(value)
        value = value * x + c[k]
    x_bar = 0.0
    c_bar = np.zeros_like(c)
    value_bar = 1.0
    for k in reversed(range(len(c))):
        c_bar[k] = value_bar
        x_bar += value_bar * value_saved[k]
        value_bar *= x
    return x_bar, c_bar


def normal_log_likelihood_grad(mu, sigma, x):
    z = (x - mu) / sigma
    mu_bar = np.sum(z) / sigma
    sigma_bar = (z @ z - x.size) / sigma
    return mu_bar, sigma_bar


def broadcasting_grad(column, row, offset, level):
    wave = np.tanh(column * row + offset)
    surface = wave - level
    surface_bar = surface * (2.0 / surface.size)
    level_bar = -np.sum(surface_bar)
    phase_bar = surface_bar * (1.0 - wave**2)
    offset_bar = np.sum(phase_bar, axis=0)
    column_bar = phase_bar @ row.T
    row_bar = column.T @ phase_bar
    return column_bar, row_bar, offset_bar, level_bar


def pendulum_grad(angle, velocity, length, step, n):
    kick = 0.5 * step * 9.81 / length
    angle_saved = [angle]
    sine_saved = []
    for i in range(n):
        sine = np.sin(angle)
        sine_saved.append(sine)
        velocity = velocity - kick * sine
        angle = angle + step * velocity
        angle_saved.append(angle)
        sine = np.sin(angle)
        sine_saved.append(sine)
        velocity = velocity - kick * sine
    angle_bar = 2.0 * angle
    velocity_bar = 2.0 * velocity
    kick_bar = 0.0
    for i in reversed(range(n)):
        kick_bar -= velocity_bar * sine_saved.pop()
        angle_bar -= velocity_bar * kick * np.cos(angle_saved[i + 1])
        velocity_bar += angle_bar * step
        kick_bar -= velocity_bar * sine_saved.pop()
        angle_bar -= velocity_bar * kick * np.cos(angle_saved[i])
    length_bar = -kick_bar * kick / length
    return angle_bar, velocity_bar, length_bar


def kalman_filter_grad(process_noise, sensor_noise, measurements):
    mean = 0.0
    variance = 1.0
    saved = []
    for measurement in measurements:
        predicted = variance + process_noise
        total = predicted + sensor_noise
        innovation = measurement - mean
        gain = predicted / total
        complement = 1.0 - gain
        saved.append((predicted, total, innovation, gain, complement))
        mean = mean + gain * innovation
        variance = complement * predicted
    process_noise_bar = 0.0
    sensor_noise_bar = 0.0
    mean_bar = 0.0
    variance_bar = 0.0
    for predicted, total, innovation, gain, complement in reversed(saved):
        gain_bar = mean_bar * innovation - variance_bar * predicted
        quotient_bar = gain_bar / total
        ratio = innovation / total
        innovation_bar = mean_bar * gain + ratio
        total_bar = 0.5 / total - 0.5 * ratio * ratio - quotient_bar * gain
        sensor_noise_bar += total_bar
        predicted_bar = variance_bar * complement + quotient_bar + total_bar
        process_noise_bar += predicted_bar
        mean_bar -= innovation_bar
        variance_bar = predicted_bar
    return process_noise_bar, sensor_noise_bar


def batch_norm_grad(x, gamma, beta, target):
    n = x.shape[0]
    centred = x - np.mean(x, axis=0)
    scale = np.sqrt(np.mean(centred**2, axis=0) + 1e-5)
    normalised = centred / scale
    difference = gamma * normalised + beta - target
    output_bar = difference * (2.0 / difference.size)
    beta_bar = np.sum(output_bar, axis=0)
    gamma_bar = np.sum(output_bar * normalised, axis=0)
    normalised_bar = output_bar * gamma
    scale_bar = -np.sum(normalised_bar * normalised, axis=0) / scale
    variance_bar = 0.5 * scale_bar / scale
    centred_bar = normalised_bar / scale + centred * (variance_bar * (2.0 / n))
    x_bar = centred_bar - np.sum(centred_bar, axis=0) / n
    return x_bar, gamma_bar, beta_bar


def lotka_volterra_grad(prey, predator, rates, step, n):
    birth, predation, conversion, death = rates
    saved = []
    for i in range(n):
        prey_growth = birth - predation * predator
        predator_growth = conversion * prey - death
        prey_step = step * prey
        predator_step = step * predator
        saved.append(
            (prey, predator, prey_growth, predator_growth, prey_step, predator_step)
        )
        prey = prey + prey_step * prey_growth
        predator = predator + predator_step * predator_growth
    prey_bar = 1.0
    predator_bar = -1.0
    birth_bar = 0.0
    predation_bar = 0.0
    conversion_bar = 0.0
    death_bar = 0.0
    for values in reversed(saved):
        prey, predator, prey_growth, predator_growth, prey_step, predator_step = values
        prey_growth_bar = prey_bar * prey_step
        predator_growth_bar = predator_bar * predator_step
        prey_bar += prey_bar * step * prey_growth + predator_growth_bar * conversion
        predator_bar += (
            predator_bar * step * predator_growth - prey_growth_bar * predation
        )
        birth_bar += prey_growth_bar
        predation_bar -= prey_growth_bar * predator
        conversion_bar += predator_growth_bar * prey
        death_bar -= predator_growth_bar
    return prey_bar, predator_bar, (birth_bar, predation_bar, conversion_bar, death_bar)
