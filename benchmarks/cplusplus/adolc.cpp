// ADOL-C: tapes that are recorded once and evaluated for other values of the variables.
#include <adolc/adolc.h>

template <class T>
T maximum(const T& a, const T& b);
template <>
adouble maximum(const adouble& a, const adouble& b) {
    return fmax(a, b);  // a branch on the tape
}

#include "problems.hpp"

// Records twice, the second time with buffers that fit: smaller ones would be written to
// files, larger ones are taken from the system again at each evaluation.
template <class Body>
void record(int tag, unsigned steps, Body body) {
    trace_on(tag, 0, 2 * steps, 6 * steps, 2 * steps, 2 * steps, 0);
    body();
    trace_off();
    std::size_t used[STAT_SIZE];
    tapestats(tag, used);
    trace_on(tag, 0, used[NUM_OPERATIONS] + 100, used[NUM_LOCATIONS] + 100,
             used[NUM_VALUES] + 100, used[TAY_STACK_SIZE] + 100, 0);
    body();
    trace_off();
}

// Variables in one array: alphas, means, icf.
extern "C" void mixture_record(int tag, long n, long d, long k, const double* variables,
                               const double* x, double gamma, double m) {
    const long size = k * (1 + d + d * (d + 1) / 2);
    const unsigned steps = 1000 + 4 * size + n * k * (d * (d + 1) / 2 + 6 * d + 20);
    record(tag, steps, [=] {
        std::vector<adouble> v(size);
        double value;
        for (long i = 0; i < size; ++i) v[i] <<= variables[i];
        adouble result = log_likelihood(n, d, k, &v[0], &v[k], &v[k + k * d], x, gamma, m);
        result >>= value;
    });
}

// Returns what ADOL-C does: negative where the tape doesn't fit.
extern "C" int mixture_gradient(int tag, long size, const double* variables,
                                double* result) {
    return gradient(tag, size, variables, result);
}

// All observations on one tape. An error depends on the variables of its own observation
// alone, so that two weights of the errors give all rows of the blocks.
extern "C" void bundle_record(int tag, long p, const double* cameras,
                              const double* points, const double* weights,
                              const long* observations, const double* features) {
    record(tag, 400 * p, [=] {
        std::vector<adouble> v(15 * p), error(2 * p);
        double values[15], value;
        for (long k = 0; k < p; ++k) {
            gather(k, cameras, points, weights, observations, values);
            for (int i = 0; i < 15; ++i) v[15 * k + i] <<= values[i];
        }
        for (long k = 0; k < p; ++k)
            projection_error(&v[15 * k], features + 2 * k, &error[2 * k]);
        for (adouble& e : error) e >>= value;
    });
}

extern "C" int bundle_jacobian(int tag, long p, const double* cameras,
                               const double* points, const double* weights,
                               const long* observations, const double* features,
                               double* blocks) {
    std::vector<double> v(15 * p), value(2 * p), weight(4 * p), rows(30 * p);
    for (long k = 0; k < p; ++k)
        gather(k, cameras, points, weights, observations, &v[15 * k]);
    for (long k = 0; k < p; ++k) weight[2 * k] = weight[2 * p + 2 * k + 1] = 1.0;
    int found = zos_forward(tag, 2 * p, 15 * p, 1, v.data(), value.data());
    if (found < 0) return found;
    double* seeds[2] = {&weight[0], &weight[2 * p]};
    double* results[2] = {&rows[0], &rows[15 * p]};
    found = fov_reverse(tag, 2 * p, 15 * p, 2, seeds, results);
    for (long k = 0; k < p; ++k)
        for (int row = 0; row < 2; ++row)
            for (int i = 0; i < 15; ++i) *blocks++ = results[row][15 * k + i];
    return found;
}
