#include "learner_grow.hpp"

#include "learner_grower.hpp"

namespace depnet {

Grown grow(const Data& data, const Bits& bits, const LearnerKernels& kernels,
           const Settings& settings, Watch& watch) {
    return Grower(data, bits, kernels, settings, watch).grow();
}

}  // namespace depnet
