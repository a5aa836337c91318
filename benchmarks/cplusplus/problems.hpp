// The Gaussian mixture and bundle adjustment over any type of number, as in
// benchmarks/kernels/gaussian_mixture.py and bundle_adjustment.py.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

template <class T>
T maximum(const T& a, const T& b) {
    return a < b ? b : a;
}

template <class T>
T log_sum_exp(const std::vector<T>& terms) {
    using std::exp;
    using std::log;
    T top = terms[0];
    for (std::size_t j = 1; j < terms.size(); ++j) top = maximum(top, terms[j]);
    T total = 0.0;
    for (const T& term : terms) total += exp(term - top);
    return top + log(total);
}

// Without the constants of the prior. Arrays (k,), (k, d), (k, d (d + 1) / 2), (n, d).
template <class T>
T log_likelihood(long n, long d, long k, const T* alphas, const T* means, const T* icf,
                 const double* x, double gamma, double m) {
    using std::exp;
    const long size = d * (d + 1) / 2;
    std::vector<T> q(k * size), sums(k), terms(k), centred(d);
    T total = 0.0;
    for (long j = 0; j < k; ++j) {  // rows of a triangle, one behind the other
        const T* own = icf + j * size;
        sums[j] = 0.0;
        long place = d;
        for (long column = 0; column < d; ++column) {
            T& diagonal = q[j * size + column * (column + 1) / 2 + column];
            diagonal = exp(own[column]);
            sums[j] += own[column];
            total += 0.5 * gamma * gamma * diagonal * diagonal;
            for (long row = column + 1; row < d; ++row, ++place) {
                q[j * size + row * (row + 1) / 2 + column] = own[place];
                total += 0.5 * gamma * gamma * own[place] * own[place];
            }
        }
        total -= m * sums[j];
    }
    for (long i = 0; i < n; ++i) {
        for (long j = 0; j < k; ++j) {
            for (long c = 0; c < d; ++c) centred[c] = x[i * d + c] - means[j * d + c];
            T square = 0.0;
            const T* entry = &q[j * size];
            for (long row = 0; row < d; ++row) {
                T scaled = 0.0;
                for (long c = 0; c <= row; ++c) scaled += *entry++ * centred[c];
                square += scaled * scaled;
            }
            terms[j] = alphas[j] + sums[j] - 0.5 * square;
        }
        total += log_sum_exp(terms);
    }
    return total - double(n) * log_sum_exp(std::vector<T>(alphas, alphas + k));
}

// The error of one observation: variables are the camera (11), the point (3) and the
// weight; the feature is data.
template <class T>
void projection_error(const T* v, const double* feature, T* error) {
    using std::cos;
    using std::sin;
    using std::sqrt;
    const T angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const T axis[3] = {v[0] / angle, v[1] / angle, v[2] / angle};
    const T moved[3] = {v[11] - v[3], v[12] - v[4], v[13] - v[5]};
    const T cosine = cos(angle), sine = sin(angle);
    const T inner = axis[0] * moved[0] + axis[1] * moved[1] + axis[2] * moved[2];
    const T along = inner * (1.0 - cosine);
    T rotated[3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const T crossed = axis[j] * moved[k] - axis[k] * moved[j];
        rotated[i] = moved[i] * cosine + crossed * sine + axis[i] * along;
    }
    const T x = rotated[0] / rotated[2], y = rotated[1] / rotated[2];
    const T square = x * x + y * y;
    const T scale = (1.0 + v[9] * square + v[10] * square * square) * v[6];
    error[0] = v[14] * (x * scale + v[7] - feature[0]);
    error[1] = v[14] * (y * scale + v[8] - feature[1]);
}

// The variables of one observation, from arrays (., 11), (., 3), (p,), (p, 2).
inline void gather(long k, const double* cameras, const double* points,
                   const double* weights, const long* observations, double* v) {
    const double* camera = cameras + 11 * observations[2 * k];
    const double* point = points + 3 * observations[2 * k + 1];
    for (int i = 0; i < 11; ++i) v[i] = camera[i];
    for (int i = 0; i < 3; ++i) v[11 + i] = point[i];
    v[14] = weights[k];
}
