// m-projections on the free domain: p -> p(X_-B) theta_B (Theorem 2), in place, mixed or one way.
#pragma once

#include <algorithm>

#include "exact_chain.hpp"

namespace depnet::exact {

// Calls body(leaf pointer, offset of the leaf's row) for each context run; `Width` binary or
// general.
template <typename Leaf, typename Body>
inline void for_contexts(const Update& u, const std::vector<Leaf>& leaves, Body&& body) {
    const Leaf* leaf = leaves.data();
    const Index run = u.run;
    u.for_each_run([&](Index base, Index context) {
        for (Index b = 0; b < run; ++b) body(base + b, static_cast<Index>(leaf[context + b]));
    });
}

// p[x] <- c theta(x) p(X_-B), added to `q` or written over p itself.
template <bool Added>
inline void project_binary(const Update& u, double c, const double* p, double* q) {
    std::visit(
        [&](const auto& leaves) {
            const auto* leaf = leaves.data();
            const double* theta = u.theta.data();
            const Index run = u.run, far = u.offsets[1];
            u.for_each_run([&](Index base, Index context) {
                const double* p0 = p + base;
                const double* p1 = p + base + far;
                double* q0 = q + base;
                double* q1 = q + base + far;
                const auto* y = leaf + context;
                for (Index b = 0; b < run; ++b) {
                    const double total = c * (p0[b] + p1[b]);
                    const double* row = theta + 2 * static_cast<Index>(y[b]);
                    if constexpr (Added) {
                        q0[b] += row[0] * total;
                        q1[b] += row[1] * total;
                    } else {
                        q0[b] = row[0] * total;
                        q1[b] = row[1] * total;
                    }
                }
            });
        },
        u.leaves);
}

template <bool Added>
inline void project_any(const Update& u, double c, const double* p, double* q) {
    const Index k = u.states();
    const Index* offset = u.offsets.data();
    std::visit(
        [&](const auto& leaves) {
            for_contexts(u, leaves, [&](Index base, Index leaf) {
                const bool stays = u.any_impossible && u.impossible[leaf];
                const double* row = u.theta.data() + leaf * k;
                double total = 0;
                for (Index s = 0; s < k; ++s) total += p[base + offset[s]];
                total *= c;
                for (Index s = 0; s < k; ++s) {
                    const Index x = base + offset[s];
                    const double moved = stays ? c * p[x] : row[s] * total;
                    q[x] = Added ? q[x] + moved : moved;
                }
            });
        },
        u.leaves);
}

// One update of the law p (Theorem 2).
inline void project(const Update& u, double* p) {
    if (u.states() == 2 && !u.any_impossible)
        project_binary<false>(u, 1.0, p, p);
    else
        project_any<false>(u, 1.0, p, p);
}

// q = sum of c_i p_i (Eq. p^(t+1)).
inline void mix(const Chain& chain, const double* weights, const double* p, double* q) {
    std::fill(q, q + chain.size, 0.0);
    for (std::size_t i = 0; i < chain.updates.size(); ++i) {
        const Update& u = chain.updates[i];
        if (u.states() == 2 && !u.any_impossible)
            project_binary<true>(u, weights[i], p, q);
        else
            project_any<true>(u, weights[i], p, q);
    }
}

}  // namespace depnet::exact
