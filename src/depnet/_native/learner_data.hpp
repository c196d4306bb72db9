// The coded table as the learner reads it: shared by all nodes and threads, never written after it
// is made.
#pragma once

#include <cstdint>
#include <vector>

namespace depnet {

struct Data {
    std::int64_t rows = 0;
    std::int64_t total = 0;  // N: the sum of the row weights
    std::vector<std::int32_t> cardinalities;
    const std::uint8_t* narrow = nullptr;  // column-major codes: one of the two
    const std::uint16_t* wide = nullptr;
    const std::int64_t* weights = nullptr;  // or none: every row counts once

    std::int32_t variables() const { return static_cast<std::int32_t>(cardinalities.size()); }
    std::int64_t weight(std::uint32_t row) const { return weights ? weights[row] : 1; }

    // Calls `use` with a pointer to the codes of X_j, of whichever width they are.
    template <typename Use>
    void column(std::int32_t j, Use&& use) const {
        if (narrow)
            use(narrow + static_cast<std::int64_t>(j) * rows);
        else
            use(wide + static_cast<std::int64_t>(j) * rows);
    }
};

}  // namespace depnet
