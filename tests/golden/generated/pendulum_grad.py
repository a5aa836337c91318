def pendulum_grad(angle, velocity, length, step, n):
    """Gradient of pendulum with respect to angle, velocity and length."""
    kick = 0.5 * step * 9.81 / length
    angle_saved = []
    sin_saved = []
    sin_2_saved = []
    for i in range(n):
        sin = np.sin(angle)
        velocity = velocity - kick * sin
        angle_saved.append(angle)
        angle = angle + step * velocity
        sin_2 = np.sin(angle)
        velocity = velocity - kick * sin_2
        sin_saved.append(sin)
        sin_2_saved.append(sin_2)
    # return angle**2 + velocity**2
    velocity_bar = 2.0 * velocity
    angle_bar = 2.0 * angle
    # for i in range(n):
    kick_bar = 0.0
    for sin, sin_2 in zip(reversed(sin_saved), reversed(sin_2_saved)):
        # velocity = velocity - kick * np.sin(angle)
        kick_bar -= velocity_bar * sin_2
        angle_bar -= velocity_bar * kick * np.cos(angle)
        # angle = angle + step * velocity
        angle = angle_saved.pop()
        velocity_bar += angle_bar * step
        # velocity = velocity - kick * np.sin(angle)
        kick_bar -= velocity_bar * sin
        angle_bar -= velocity_bar * kick * np.cos(angle)
    # kick = 0.5 * step * 9.81 / length
    length_bar = -kick_bar * kick / length
    return angle_bar, velocity_bar, length_bar
