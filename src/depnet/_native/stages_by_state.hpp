// The scores of stages turned round, for the kernels of stages_kernels.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages_kernels.hpp"

namespace depnet::stages {

// Scores [leaf][state] of stages that begin at `begin`, as [state][leaf] of each stage.
inline std::vector<std::int32_t> by_state(const std::int32_t* begin, std::size_t stages,
                                          const std::int32_t* scores, std::size_t states) {
    const std::size_t leaves = static_cast<std::size_t>(begin[stages]) + stages;
    std::vector<std::int32_t> turned(leaves * states);
    for (std::size_t m = 0; m < stages; ++m) {
        const std::size_t at = (static_cast<std::size_t>(begin[m]) + m) * states;
        const auto size = static_cast<std::size_t>(begin[m + 1] - begin[m]) + 1;
        for (std::size_t y = 0; y < size; ++y)
            for (std::size_t x = 0; x < states; ++x)
                turned[at + x * size + y] = scores[at + y * states + x];
    }
    return turned;
}

// The only state that each stage has scores of, or kEveryState: the others need not be added.
inline std::vector<std::int32_t> only_columns(const std::int32_t* begin, std::size_t stages,
                                              const std::int32_t* scores, std::size_t states) {
    std::vector<std::int32_t> found(stages, kEveryState);
    for (std::size_t m = 0; m < stages; ++m) {
        const std::size_t first = static_cast<std::size_t>(begin[m]) + m;
        const std::size_t last = static_cast<std::size_t>(begin[m + 1]) + m;
        std::size_t columns = 0, column = 0;
        for (std::size_t x = 0; x < states; ++x)
            for (std::size_t y = first; y <= last; ++y)
                if (scores[y * states + x] != 0) {
                    column = x;
                    ++columns;
                    break;
                }
        if (columns <= 1) found[m] = static_cast<std::int32_t>(column);
    }
    return found;
}

}  // namespace depnet::stages
