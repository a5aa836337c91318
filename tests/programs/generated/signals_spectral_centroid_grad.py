def spectral_centroid_grad(signal, window):
    """Gradient of spectral_centroid with respect to signal."""
    t = np.linspace(0.0, 1.0, len(signal))
    difference = 0.5 - 0.5 * np.cos(2.0 * np.pi * t)
    signal = signal * difference
    re, im, residuals = fft_forward(signal, np.zeros_like(signal))
    power_2 = re**2
    power_3 = im**2
    total = power_2 + power_3
    bound = len(signal) // 2
    power = total[:bound]
    arange = np.arange(len(power))
    sum_value = np.sum(power)
    # return np.sum(np.arange(len(power)) * power) / np.sum(power)
    power_bar = arange / sum_value - np.sum(arange * power) / sum_value / sum_value
    # power = (re**2 + im**2)[: len(signal) // 2]
    total_bar = np.zeros_like(total)
    total_bar[:bound] = power_bar
    im_bar = 2 * sum_to_shape_of(total_bar, power_3) * im
    del arange, im, power, power_3, power_bar, signal, t, total
    re_bar = 2 * sum_to_shape_of(total_bar, power_2) * re
    # re, im = fft(signal, np.zeros_like(signal))
    signal_bar = fft_reverse(residuals, (re_bar, im_bar))
    # signal = signal * shape(t)
    signal_bar = signal_bar * difference
    return (signal_bar,)


def fft_forward(re, im):
    """Value and residuals of fft."""
    n = len(re)
    condition = n == 1
    if condition:
        result_0 = re
        result_1 = im
        saved = None
    else:
        even_re, even_im, residuals = fft_forward(re[::2], im[::2])
        odd_re, odd_im, residuals_2 = fft_forward(re[1::2], im[1::2])
        angles = -2.0 * np.pi * np.arange(n // 2) / n
        c = np.cos(angles)
        s = np.sin(angles)
        product = c * odd_re
        product_2 = s * odd_im
        twisted_re = product - product_2
        product_3 = s * odd_re
        product_4 = c * odd_im
        twisted_im = product_3 + product_4
        total = even_re + twisted_re
        result_0 = np.concatenate([total, even_re - twisted_re])
        total_2 = even_im + twisted_im
        result_1 = np.concatenate([total_2, even_im - twisted_im])
        saved = (
            c,
            even_im,
            even_re,
            odd_im,
            odd_re,
            product,
            product_2,
            product_3,
            product_4,
            residuals,
            residuals_2,
            s,
            total,
            total_2,
            twisted_im,
            twisted_re,
        )
    return result_0, result_1, (condition, re, result_0, result_1, saved)


def fft_reverse(residuals, gradient):
    """Pullback of fft."""
    condition, re, result_0, result_1, saved = residuals
    result_0_bar, result_1_bar = gradient
    if condition:
        # return re, im
        re_bar = result_0_bar
    else:
        (
            c,
            even_im,
            even_re,
            odd_im,
            odd_re,
            product,
            product_2,
            product_3,
            product_4,
            residuals,
            residuals_2,
            s,
            total,
            total_2,
            twisted_im,
            twisted_re,
        ) = saved
        # return (np.concatenate([even_re + twisted_re, even_re - twisted_re]), np.co...
        full = np.broadcast_to(result_1_bar, result_1.shape)
        stop = total_2.shape[0]
        total_bar = full[:stop]
        difference_bar = full[stop:]
        even_im_bar = sum_to_shape_of(difference_bar, even_im)
        twisted_im_bar = sum_to_shape_of(-difference_bar, twisted_im)
        even_im_bar = even_im_bar + sum_to_shape_of(total_bar, even_im)
        twisted_im_bar = twisted_im_bar + sum_to_shape_of(total_bar, twisted_im)
        full = np.broadcast_to(result_0_bar, result_0.shape)
        stop = total.shape[0]
        total_bar = full[:stop]
        difference_bar = full[stop:]
        even_re_bar = sum_to_shape_of(difference_bar, even_re)
        twisted_re_bar = sum_to_shape_of(-difference_bar, twisted_re)
        even_re_bar = even_re_bar + sum_to_shape_of(total_bar, even_re)
        twisted_re_bar = twisted_re_bar + sum_to_shape_of(total_bar, twisted_re)
        # twisted_re, twisted_im = c * odd_re - s * odd_im, s * odd_re + c * odd_im
        full = np.broadcast_to(
            sum_to_shape_of(twisted_im_bar, product_4) * c, product_4.shape
        )
        odd_im_bar = sum_to_shape_of(full, odd_im)
        full = np.broadcast_to(
            sum_to_shape_of(twisted_im_bar, product_3) * s, product_3.shape
        )
        odd_re_bar = sum_to_shape_of(full, odd_re)
        full = np.broadcast_to(
            sum_to_shape_of(-twisted_re_bar, product_2) * s, product_2.shape
        )
        odd_im_bar = odd_im_bar + sum_to_shape_of(full, odd_im)
        full = np.broadcast_to(
            sum_to_shape_of(twisted_re_bar, product) * c, product.shape
        )
        odd_re_bar = odd_re_bar + sum_to_shape_of(full, odd_re)
        # odd_re, odd_im = fft(re[1::2], im[1::2])
        re_bar = np.zeros_like(re)
        re_bar[1::2] = fft_reverse(residuals_2, (odd_re_bar, odd_im_bar))
        # even_re, even_im = fft(re[::2], im[::2])
        re_bar[::2] += fft_reverse(residuals, (even_re_bar, even_im_bar))
    re_bar = np.broadcast_to(re_bar, re.shape).copy()
    return re_bar
