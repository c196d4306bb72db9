// The sequential scan: a sweep of all updates in turn.
#pragma once

#include "exact_projection.hpp"

namespace depnet::exact {

// A sweep of a sequential scan. The first update forgets its own axis, so the unknown is the law of
// the other axes: x -> x theta_first, the other updates in turn, and back to the other axes.
class Sweep {
  public:
    Sweep(const Chain& chain, std::vector<Index> order) : chain_(chain), order_(std::move(order)) {
        law_.assign(chain.size, 0.0);
    }

    Index dimension() const { return first().contexts; }

    void apply(const double* x, double* out) {
        law(x, law_.data());
        start(law_.data(), out);
    }

    void start(const double* p, double* x) const {
        const Update& u = first();
        u.for_each_run([&](Index base, Index context) {
            for (Index b = 0; b < u.run; ++b) {
                double total = 0;
                for (const Index offset : u.offsets) total += p[base + offset + b];
                x[context + b] = total;
            }
        });
    }

    // The law just before the first update, after one more sweep.
    void law(const double* x, double* p) const {
        const Update& u = first();
        const Index k = u.states();
        std::visit(
            [&](const auto& leaves) {
                u.for_each_run([&](Index base, Index context) {
                    for (Index b = 0; b < u.run; ++b) {
                        const double* row = u.theta.data() + leaves[context + b] * k;
                        for (Index s = 0; s < k; ++s)
                            p[base + u.offsets[s] + b] = row[s] * x[context + b];
                    }
                });
            },
            u.leaves);
        for (std::size_t i = 1; i < order_.size(); ++i) project(chain_.updates[order_[i]], p);
    }

  private:
    const Update& first() const { return chain_.updates[order_[0]]; }

    const Chain& chain_;
    std::vector<Index> order_;
    std::vector<double> law_;
};

}  // namespace depnet::exact
