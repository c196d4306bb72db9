// The exact law of the free domain of one row, where it is small and all tables are positive.
#pragma once

#include <span>

#include "batch_estimators.hpp"
#include "exact_coloured.hpp"
#include "exact_krylov.hpp"
#include "exact_sweep.hpp"

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
          buffers_(network) {
        std::size_t most = 0;
        for (std::size_t place = 0; place < view.variables; ++place)
            most = std::max(most, view.nodes[place].leaves);
        seen_.assign(most, kNone);
    }

    // Adds the marginal of every free variable to the cells of its estimator (estimator i is the
    // marginal of variable i). Returns how often the map was applied, 0 if it did not converge.
    std::int64_t solve(std::span<const std::int32_t> free, const double* weights, bool sequential,
                       double goal, std::int64_t most, const std::uint16_t* codes, double* sums) {
        variables_.clear();
        for (const std::int32_t number : free) variables_.push_back(view_.nodes[number].variable);
        std::sort(variables_.begin(), variables_.end());
        std::vector<exact::Index> shape;
        for (const std::int32_t v : variables_) shape.push_back(cards_[v]);
        codes_.assign(codes, codes + cards_.size());
        exact::Chain chain(std::move(shape));
        for (const std::int32_t number : free) add(chain, steps_[number]);
        std::int64_t applied = 0;
        if (chain.size == 1) {  // variables with one state only
            law_.assign(1, 1.0);
            applied = 1;
        } else if (sequential) {
            std::vector<exact::Index> order(free.size());
            std::iota(order.begin(), order.end(), 0);
            exact::Sweep sweep(chain, std::move(order));
            applied = fixed_point(sweep, chain.size, goal, most);
        } else {
            exact::Coloured jumps(chain, weights);
            applied = fixed_point(jumps, chain.size, goal, most);
        }
        if (applied > 0) marginals(chain, sums);
        return applied;
    }

  private:
    // The leaf of each context of the node, only those that occur, and their rows of theta.
    void add(exact::Chain& chain, const Step& step) {
        const Node& node = view_.nodes[step.place];
        const std::int32_t own = node.variable;
        others_.clear();
        exact::Index contexts = 1, axis = 0;
        for (std::size_t a = 0; a < variables_.size(); ++a) {
            if (variables_[a] == own) {
                axis = static_cast<exact::Index>(a);
                continue;
            }
            others_.push_back(variables_[a]);
            contexts *= cards_[variables_[a]];
            codes_[variables_[a]] = 0;
        }
        std::vector<std::uint32_t> leaves(contexts);
        std::vector<double> theta;
        rows_.clear();
        for (exact::Index c = 0; c < contexts; ++c) {
            leaves[c] =
                node.boosted < 0 ? row_of(step, node, theta) : row_of_its_own(step, node, theta);
            for (std::size_t a = others_.size(); a-- > 0;) {
                if (++codes_[others_[a]] < cards_[others_[a]]) break;
                codes_[others_[a]] = 0;
            }
        }
        for (const std::int64_t leaf : rows_) seen_[leaf] = kNone;
        const std::size_t kept = theta.size() / static_cast<std::size_t>(node.states);
        exact::Leaves narrow;
        if (kept <= 256)
            narrow = std::vector<std::uint8_t>(leaves.begin(), leaves.end());
        else
            narrow = std::move(leaves);
        chain.add(axis, std::move(narrow), std::move(theta), std::vector<std::uint8_t>(kept, 0));
    }

    // The number of the row of theta at codes_, which is appended to `theta` where it is new.
    std::uint32_t row_of(const Step& step, const Node& node, std::vector<double>& theta) {
        const std::int64_t leaf = leaf_of(view_, node, codes_.data(), 1);
        if (seen_[leaf] == kNone) {
            seen_[leaf] = static_cast<std::int32_t>(rows_.size());
            rows_.push_back(leaf);
            const double* row = step.theta + leaf * node.states;
            theta.insert(theta.end(), row, row + node.states);
        }
        return static_cast<std::uint32_t>(seen_[leaf]);
    }

    // The same for a boosted node, each of whose contexts has a row of its own.
    std::uint32_t row_of_its_own(const Step& step, const Node& node, std::vector<double>& theta) {
        const Scratch scratch = buffers_.scratch();
        const double total = boosted_theta(view_, step, codes_.data(), 1, scratch);
        const double scale = step.weights == nullptr ? 1.0 : total;
        for (std::int32_t s = 0; s < node.states; ++s) theta.push_back(scratch.theta[s] / scale);
        return static_cast<std::uint32_t>(theta.size() / node.states - 1);
    }

    template <typename Map>
    std::int64_t fixed_point(Map& map, exact::Index size, double goal, std::int64_t most) {
        law_.assign(size, 1.0 / static_cast<double>(size));
        const exact::Index n = map.dimension();
        x_.resize(n);
        r_.resize(n);
        map.start(law_.data(), x_.data());
        exact::residual(map, x_.data(), r_.data());
        exact::Basis basis(n);
        std::int64_t applied = 1;
        while (applied < most) {
            double distance = 0, flow = 0;
            for (exact::Index i = 0; i < n; ++i) {
                distance += std::abs(r_[i]);
                flow += x_[i];
            }
            if (distance <= goal * flow) {
                map.law(x_.data(), law_.data());
                return applied;
            }
            const double target =
                0.5 * goal * flow * std::sqrt(exact::dot(r_.data(), r_.data(), n)) / distance;
            applied += exact::cycle(map, basis, x_.data(), r_.data(), kBasis, target);
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
    std::vector<std::int32_t> seen_;  // leaf of a node -> its number among those that occur
    std::vector<std::int32_t> variables_, others_;
    std::vector<std::int64_t> rows_;
    std::vector<std::uint16_t> codes_;
    std::vector<double> law_, x_, r_;
};

}  // namespace depnet::rows
