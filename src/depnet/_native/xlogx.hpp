// T(x) = x log x of integer counts: the one function behind every entropy, here and in the slow
// twin.
#pragma once

#include <cstdint>

namespace depnet {

constexpr std::int64_t kCachedXLogX = std::int64_t{1} << 20;

// x log x, and 0 at 0. Never inlined into code built for another instruction set.
double compute_xlogx(std::int64_t x);

// Looks T up in a table that all learners share, and computes it beyond the table's end.
struct XLogX {
    const double* table;
    std::int64_t size;

    double operator()(std::int64_t x) const { return x < size ? table[x] : compute_xlogx(x); }
};

// A table that holds T(0..largest), or T(0..2^20) if that is less. Thread-safe; tables live on.
XLogX shared_xlogx(std::int64_t largest);

}  // namespace depnet
