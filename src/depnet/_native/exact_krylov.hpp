// GMRES for the fixed point x = G x of a linear map, one cycle at a time.
//
// I - G is singular with a one-dimensional kernel; G x - x lies in its range, so the Krylov space
// of that residual holds the correction, and GMRES finds it (the fixed space is semi-simple).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "exact_chain.hpp"

namespace depnet::exact {

constexpr Index kLanes = 8;  // partial sums of a dot product: fixed, so one answer on any machine
constexpr Index kBlock = 1024;  // elements worked on while they lie in the first cache

inline double dot(const double* a, const double* b, Index n) {
    double lane[kLanes] = {};
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (Index l = 0; l < kLanes; ++l) lane[l] += a[i + l] * b[i + l];
    double total = 0;
    for (; i < n; ++i) total += a[i] * b[i];
    for (const double part : lane) total += part;
    return total;
}

inline void scale_into(const double* a, double factor, double* b, Index n) {
    for (Index i = 0; i < n; ++i) b[i] = a[i] * factor;
}

// The basis of one cycle: orthonormal vectors. Their memory is kept from cycle to cycle.
class Basis {
  public:
    explicit Basis(Index dimension) : dimension_(dimension) {}

    // The j-th vector, to be written.
    double* at(std::size_t j) {
        if (j == vectors_.size()) vectors_.emplace_back(dimension_);
        return vectors_[j].data();
    }

    // h += V^T w, w -= V (V^T w); one pass over the basis for each half. Returns |w|^2 after.
    double orthogonalise(double* w, double* h, std::size_t count) const {
        std::vector<double> step(count, 0.0);
        for (Index begin = 0; begin < dimension_; begin += kBlock) {
            const Index n = std::min(kBlock, dimension_ - begin);
            for (std::size_t j = 0; j < count; ++j)
                step[j] += dot(vectors_[j].data() + begin, w + begin, n);
        }
        double square = 0;
        for (Index begin = 0; begin < dimension_; begin += kBlock) {
            const Index n = std::min(kBlock, dimension_ - begin);
            for (std::size_t j = 0; j < count; ++j)
                add(-step[j], vectors_[j].data() + begin, w + begin, n);
            square += dot(w + begin, w + begin, n);
        }
        for (std::size_t j = 0; j < count; ++j) h[j] += step[j];
        return square;
    }

    void combine(const std::vector<double>& y, double* x) const {
        for (Index begin = 0; begin < dimension_; begin += kBlock) {
            const Index n = std::min(kBlock, dimension_ - begin);
            for (std::size_t j = 0; j < y.size(); ++j)
                add(y[j], vectors_[j].data() + begin, x + begin, n);
        }
    }

  private:
    static void add(double a, const double* v, double* w, Index n) {
        for (Index i = 0; i < n; ++i) w[i] += a * v[i];
    }

    Index dimension_;
    std::vector<std::vector<double>> vectors_;
};

// r = G x - x.
template <typename Operator>
void residual(Operator& G, const double* x, double* r) {
    G.apply(x, r);
    for (Index i = 0; i < G.dimension(); ++i) r[i] -= x[i];
}

// One cycle of GMRES from x with the residual r = G x - x: x moves to the least residual over a
// basis of at most `most` vectors (fewer, once the residual's 2-norm is under `target`), is made
// non-negative, and r follows. Returns how often G was applied.
template <typename Operator>
Index cycle(Operator& G, Basis& V, double* x, double* r, Index most, double target) {
    const Index n = G.dimension();
    const double start = std::sqrt(dot(r, r, n));
    if (start == 0) return 0;
    scale_into(r, 1.0 / start, V.at(0), n);
    // Hessenberg columns of A = I - G, reduced to a triangle by rotations; g the rotated right
    // side.
    std::vector<std::vector<double>> R;
    std::vector<double> cosine, sine, g{start};
    while (static_cast<Index>(R.size()) < most && std::abs(g.back()) > target) {
        const std::size_t j = R.size();
        const double* v = V.at(j);
        double* w = V.at(j + 1);
        G.apply(v, w);
        for (Index i = 0; i < n; ++i) w[i] = v[i] - w[i];
        const double before = dot(w, w, n);
        std::vector<double> h(j + 2, 0.0);
        double square = V.orthogonalise(w, h.data(), j + 1);
        if (square < 1e-4 * before) square = V.orthogonalise(w, h.data(), j + 1);
        const double norm = std::sqrt(square);
        h[j + 1] = norm;
        for (std::size_t i = 0; i < j; ++i) {
            const double a = cosine[i] * h[i] + sine[i] * h[i + 1];
            h[i + 1] = cosine[i] * h[i + 1] - sine[i] * h[i];
            h[i] = a;
        }
        const double length = std::hypot(h[j], h[j + 1]);
        if (!(length > 0)) break;  // the basis holds nothing more that A sees
        cosine.push_back(h[j] / length);
        sine.push_back(h[j + 1] / length);
        h[j] = length;
        g.push_back(-sine[j] * g[j]);
        g[j] *= cosine[j];
        R.push_back(std::move(h));
        if (norm <= 1e-15 * std::sqrt(before)) break;
        scale_into(w, 1.0 / norm, w, n);
    }
    std::vector<double> y(R.size());
    for (std::size_t i = R.size(); i-- > 0;) {
        double value = g[i];
        for (std::size_t j = i + 1; j < R.size(); ++j) value -= R[j][i] * y[j];
        y[i] = value / R[i][i];
    }
    V.combine(y, x);
    for (Index i = 0; i < n; ++i) x[i] = std::max(x[i], 0.0);
    residual(G, x, r);
    return static_cast<Index>(R.size()) + 1;
}

}  // namespace depnet::exact
