// The scores of stages turned round, for the kernels of stages_kernels.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace depnet::stages
