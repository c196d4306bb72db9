// Algorithm 3 with the candidates of Sec. 4.5 for one node. Slow twin: tests/reference/learning.py.
#pragma once

#include <cstdint>
#include <vector>

#include "decision_graph_compile.hpp"
#include "learner_bits.hpp"
#include "learner_costs.hpp"
#include "learner_data.hpp"
#include "learner_watch.hpp"

namespace depnet {

struct Grown {
    std::vector<std::uint8_t> kinds;
    std::vector<std::int32_t> first, second;  // Split(leaf, variable) or Merge(first, second)
    std::vector<std::int64_t> counts;         // [leaf][state of the target]
};

Grown grow(const Data& data, const Bits& bits, const LearnerKernels& kernels,
           const Settings& settings, Watch& watch);

}  // namespace depnet
