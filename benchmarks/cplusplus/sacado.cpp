// Sacado: reverse mode for the gradient, forward mode with 15 directions for blocks.
#include <Sacado_No_Kokkos.hpp>

#include "problems.hpp"

extern "C" int mixture_gradient(long n, long d, long k, const double* variables,
                                const double* x, double gamma, double m,
                                double* result) {
    using Number = Sacado::Rad::ADvar<double>;
    const long size = k * (1 + d + d * (d + 1) / 2);
    std::vector<Number> v(size);
    for (long i = 0; i < size; ++i) v[i] = variables[i];
    Number value = log_likelihood(n, d, k, &v[0], &v[k], &v[k + k * d], x, gamma, m);
    Number::Gradcomp();
    for (long i = 0; i < size; ++i) result[i] = v[i].adj();
    return 0;
}

extern "C" int bundle_jacobian(long p, const double* cameras, const double* points,
                               const double* weights, const long* observations,
                               const double* features, double* blocks) {
    using Number = Sacado::Fad::SFad<double, 15>;
    double values[15];
    Number v[15], error[2];
    for (long k = 0; k < p; ++k) {
        gather(k, cameras, points, weights, observations, values);
        for (int i = 0; i < 15; ++i) v[i] = Number(15, i, values[i]);
        projection_error(v, features + 2 * k, error);
        for (int row = 0; row < 2; ++row)
            for (int i = 0; i < 15; ++i) *blocks++ = error[row].dx(i);
    }
    return 0;
}
