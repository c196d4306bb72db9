#include "learner_grow.hpp"

#include "learner_grower.hpp"
#include "learner_splits.hpp"

namespace depnet {

Grown grow(const Data& data, const Bits& bits, const LearnerKernels& kernels,
           const Settings& settings, Watch& watch) {
    Grower<Splits> grower(
        data, kernels, settings, watch, [&](const XLogX& xlogx, const Costs& costs, bool keep_all) {
            return Splits(data, bits, kernels, settings, xlogx, costs, keep_all, watch);
        });
    return grower.grow();
}

}  // namespace depnet
