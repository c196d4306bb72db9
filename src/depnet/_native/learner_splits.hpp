// Splits of a leaf: counting its rows by (state of X_j, state of the target), and the best split.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "learner_costs.hpp"
#include "learner_data.hpp"
#include "learner_leaf.hpp"
#include "learner_watch.hpp"

namespace depnet {

class Splits {
  public:
    Splits(const Data& data, const Settings& settings, const XLogX& xlogx, const Costs& costs,
           bool keep_all, Watch& watch);

    std::int64_t states() const { return states_; }

    // The leaf of all rows.
    std::unique_ptr<Leaf> root() const;

    // Find the leaf's best split, or the entropy changes of all its splits (`keep_all`).
    void evaluate(Leaf& leaf);

    // The |X_j| leaves of Split(leaf, j), the empty ones among them.
    Leaves split(const Leaf& leaf, std::int32_t j) const;

  private:
    // The entropy change of Split(leaf, j), in nats * rows; infinite if a new leaf has too few
    // rows.
    double change(const Leaf& leaf, std::int32_t j);
    void fill_cells(Leaf& leaf) const;

    const Data& data_;
    const Settings& settings_;
    const XLogX& xlogx_;
    const Costs& costs_;
    bool keep_all_;
    Watch& watch_;
    std::int64_t states_ = 1;
    std::vector<std::uint16_t> target_;  // joint state of the targets, by row
    std::vector<std::int64_t> counts_;   // scratch: [z][x]
    std::vector<std::pair<std::uint64_t, std::int64_t>> sorted_;  // scratch: (z, x), weight
};

}  // namespace depnet
