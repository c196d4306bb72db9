// The random scan with self-loops divided out: u(x) = outflow(x) pi(x) is the law of the chain of
// jumps, u = u J.
#pragma once

#include "exact_projection.hpp"

namespace depnet::exact {

// [leaf, state]: c theta(state | leaf), or c times the probability of leaving the state, summed
// over the other states: 1 - theta would lose all digits where theta is nearly 1.
inline std::vector<double> scaled(const Update& u, double c) {
    std::vector<double> cells(u.theta);
    for (double& cell : cells) cell *= c;
    return cells;
}

inline std::vector<double> leaving(const Update& u, double c) {
    const Index k = u.states();
    std::vector<double> cells(u.theta.size(), 0.0);
    for (std::size_t leaf = 0; leaf * k < cells.size(); ++leaf) {
        if (u.impossible[leaf]) continue;
        double* cell = cells.data() + leaf * k;
        const double* row = u.theta.data() + leaf * k;
        double below = 0, above = 0;
        for (Index s = 0; s < k; below += c * row[s++]) cell[s] += below;
        for (Index s = k; s-- > 0; above += c * row[s]) cell[s] += above;
    }
    return cells;
}

// The chain of jumps without colours.
class Jumping {
  public:
    Jumping(const Chain& chain, const double* weights) : chain_(chain) {
        law_.assign(chain.size, 0.0);
        per_outflow_.assign(chain.size, 0.0);
        for (std::size_t i = 0; i < chain.updates.size(); ++i) {
            const Update& u = chain.updates[i];
            theta_.push_back(scaled(u, weights[i]));
            const std::vector<double> out = leaving(u, weights[i]);
            each(u, [&](Index base, Index leaf) {
                for (Index s = 0; s < u.states(); ++s)
                    per_outflow_[base + u.offsets[s]] += out[leaf * u.states() + s];
            });
        }
        for (double& flow : per_outflow_) flow = flow > 0 ? 1.0 / flow : 0.0;
    }

    Index dimension() const { return chain_.size; }

    void apply(const double* x, double* out) {
        for (Index s = 0; s < chain_.size; ++s) law_[s] = x[s] * per_outflow_[s];
        std::fill(out, out + chain_.size, 0.0);
        for (std::size_t i = 0; i < chain_.updates.size(); ++i) flow_from_others(i, out);
    }

    void start(const double* p, double* x) const {
        for (Index s = 0; s < chain_.size; ++s)
            x[s] = per_outflow_[s] > 0 ? p[s] / per_outflow_[s] : 0.0;
    }

    void law(const double* x, double* p) {
        apply(x, p);
        for (Index s = 0; s < chain_.size; ++s) p[s] *= per_outflow_[s];
    }

  private:
    template <typename F>
    static void each(const Update& u, F&& f) {
        std::visit([&](const auto& leaves) { for_contexts(u, leaves, f); }, u.leaves);
    }

    // Sums over the other states of a context go up from below and down from above: a difference
    // from the context's total would lose the digits of a small flow beside a large probability.
    void flow_from_others(std::size_t i, double* out) {
        const Update& u = chain_.updates[i];
        const Index k = u.states();
        const double* theta = theta_[i].data();
        if (k == 1) return;
        if (k == 2) {
            const Index far = u.offsets[1];
            each(u, [&](Index base, Index leaf) {  // theta is 0 where the update is impossible
                out[base] += theta[2 * leaf] * law_[base + far];
                out[base + far] += theta[2 * leaf + 1] * law_[base];
            });
            return;
        }
        each(u, [&](Index base, Index leaf) {
            if (u.any_impossible && u.impossible[leaf]) return;
            const double* row = theta + leaf * k;
            double below = 0;
            for (Index s = 0; s < k; ++s) {
                const Index x = base + u.offsets[s];
                out[x] += row[s] * below;
                below += law_[x];
            }
            double above = 0;
            for (Index s = k; s-- > 0;) {
                const Index x = base + u.offsets[s];
                out[x] += row[s] * above;
                above += law_[x];
            }
        });
    }

    const Chain& chain_;
    std::vector<std::vector<double>> theta_;
    std::vector<double> law_;
    std::vector<double> per_outflow_;
};

}  // namespace depnet::exact
