// The exact law of the free domain of one row, where it is small and all tables are positive.
#pragma once

#include <span>

#include "batch_estimators.hpp"
#include "exact_rows.hpp"

namespace depnet::rows {

// Nodes of one variable each, one node a variable. Scratch memory is kept from row to row.
class Solver {
  public:
    Solver(const Network& network, const View& view, const Steps& steps,
           const Estimators& estimators)
        : cards_(network.cardinalities()),
          view_(view),
          steps_(steps),
          estimators_(estimators),
          buffers_(network) {}

    // Adds the marginal of every free variable to the cells of its estimator (estimator i is the
    // marginal of variable i). Returns how often the map was applied, 0 if it did not converge.
    std::int64_t solve(std::span<const std::int32_t> free, const double* weights, bool sequential,
                       double goal, std::int64_t most, const std::uint16_t* codes, double* sums) {
        variables_.clear();
        for (const std::int32_t number : free) variables_.push_back(view_.nodes[number].variable);
        std::sort(variables_.begin(), variables_.end());
        codes_.assign(codes, codes + cards_.size());
        exact::Chain chain{1, {}};
        for (const std::int32_t v : variables_) chain.size *= cards_[v];
        for (const std::int32_t number : free) add(chain, steps_[number]);
        std::int64_t applied = 0;
        if (chain.size == 1) {  // variables with one state only
            law_.assign(1, 1.0);
            applied = 1;
        } else if (sequential) {
            exact::Sweep sweep(chain);
            applied = fixed_point(sweep, chain.size, goal, most);
        } else {
            exact::Jumps jumps(chain, weights);
            applied = fixed_point(jumps, chain.size, goal, most);
        }
        if (applied > 0) marginals(chain, sums);
        return applied;
    }

  private:
    // The node's theta at every joint state.
    void add(exact::Chain& chain, const Step& step) {
        const Node& node = view_.nodes[step.place];
        others_.clear();
        exact::Update update{node.states, 1, std::vector<double>(chain.size)};
        for (const std::int32_t v : variables_) {
            codes_[v] = 0;
            if (v != node.variable) others_.push_back(v);
            if (v > node.variable) update.behind *= cards_[v];
        }
        const Scratch scratch = buffers_.scratch();
        for (exact::Index c = 0; c < chain.size / node.states; ++c) {
            const double* theta = scratch.theta;
            double total = 1.0;
            if (node.boosted < 0)
                theta = step.theta + leaf_of(view_, node, codes_.data(), 1) * node.states;
            else if (const double sum = boosted_theta(view_, step, codes_.data(), 1, scratch);
                     step.weights != nullptr)
                total = sum;
            double* out = update.theta.data() + c / update.behind * update.behind * node.states +
                          c % update.behind;
            for (std::int32_t s = 0; s < node.states; ++s)
                out[s * update.behind] = theta[s] / total;
            for (std::size_t a = others_.size(); a-- > 0;) {
                if (++codes_[others_[a]] < cards_[others_[a]]) break;
                codes_[others_[a]] = 0;
            }
        }
        chain.updates.push_back(std::move(update));
    }

    template <typename Map>
    std::int64_t fixed_point(Map& map, exact::Index size, double goal, std::int64_t most) {
        law_.assign(size, 1.0 / static_cast<double>(size));
        const exact::Index n = map.dimension();
        x_.resize(n);
        r_.resize(n);
        map.start(law_, x_);
        for (std::int64_t applied = 0; applied < most;) {
            map.apply(x_.data(), r_.data());
            ++applied;
            double distance = 0, flow = 0;
            for (exact::Index i = 0; i < n; ++i) {
                r_[i] -= x_[i];
                distance += std::abs(r_[i]);
                flow += x_[i];
            }
            if (distance <= goal * flow) {
                map.law(x_, law_);
                return applied;
            }
            const double target =
                0.5 * goal * flow * std::sqrt(exact::dot(r_.data(), r_.data(), n)) / distance;
            applied += exact::cycle(map, x_, r_, kBasis, target);
        }
        return 0;
    }

    void marginals(const exact::Chain& chain, double* sums) const {
        double total = 0;
        for (exact::Index s = 0; s < chain.size; ++s) total += law_[s];
        exact::Index stride = chain.size;
        for (const std::int32_t v : variables_) {
            const exact::Index k = cards_[v];
            stride /= k;
            double* cell = sums + estimators_.estimators[v].cell;
            for (exact::Index begin = 0; begin < chain.size; begin += stride)
                for (exact::Index s = begin; s < begin + stride; ++s)
                    cell[begin / stride % k] += law_[s];
            for (exact::Index x = 0; x < k; ++x) cell[x] /= total;
        }
    }

    static constexpr exact::Index kBasis = 30;
    const std::vector<std::int32_t>& cards_;
    const View& view_;
    const Steps& steps_;  // of all places
    const Estimators& estimators_;
    Buffers buffers_;
    std::vector<std::int32_t> variables_, others_;
    std::vector<std::uint16_t> codes_;
    std::vector<double> law_, x_, r_;
};

}  // namespace depnet::rows
