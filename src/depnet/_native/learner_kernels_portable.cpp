// The learner's kernels in plain C++: one word at a time.

#include "learner_kernels.hpp"

namespace depnet {
namespace {

struct Vec {
    using Bits = std::uint64_t;
    using Sums = std::uint64_t;
    using Counts = std::uint32_t;
    using Doubles = double;
    static constexpr std::size_t kWords = 1, kDoubles = 1;

    static Bits zero() { return 0; }
    static Bits load(const std::uint64_t* from) { return *from; }
    static void store(std::uint64_t* to, Bits v) { *to = v; }
    static Bits majority(Bits a, Bits b, Bits c) { return (a & b) | (c & (a ^ b)); }
    static Bits odd(Bits a, Bits b, Bits c) { return a ^ b ^ c; }
    template <std::size_t>
    static Bits gather(const std::uint64_t* bits, const std::uint32_t* rows) {
        return bits[*rows];
    }
    static void spread_digit(std::uint64_t word, int digit, std::uint32_t* counts) {
        for (int b = 0; b < 64; ++b)
            counts[b] += static_cast<std::uint32_t>(((word >> b) & 1) << digit);
    }

    static Sums no_sums() { return 0; }
    static Sums add_popcount(Sums sums, Bits a, Bits b) {
        std::uint64_t x =
            a & b;  // spelled out: without the instruction, the builtin calls a function
        x -= (x >> 1) & 0x5555555555555555u;
        x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        return sums + ((x * 0x0101010101010101u) >> 56);
    }
    static std::uint32_t total(Sums sums) { return static_cast<std::uint32_t>(sums); }

    static Counts same(std::uint32_t x) { return x; }
    static Counts counts(const std::uint32_t* from) { return *from; }
    static Counts plus(Counts a, Counts b) { return a + b; }
    static Doubles doubles(double x) { return x; }
    static void store(double* to, Doubles x) { *to = x; }
    static Doubles look_up(const double* table, Counts x) { return table[x]; }
    static Doubles to_doubles(Counts x) { return x; }
    static unsigned above(Doubles a, Doubles b) { return a > b; }

    // One variable of a small leaf (list_worth).
    static constexpr std::size_t kWide = 1;
    static unsigned worth(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t all_a,
                          std::uint32_t all_b, float scale, float wanted) {
        const float n1 = static_cast<float>(*a + *b), n0 = static_cast<float>(all_a + all_b) - n1;
        const auto excess = static_cast<float>(static_cast<std::int32_t>(*a * all_b - *b * all_a));
        return excess * excess * scale > wanted * (n1 * n0);
    }
    static std::size_t list(unsigned bits, std::uint32_t first, std::uint32_t* out) {
        *out = first;
        return bits;
    }
};

#include "learner_kernels_body.hpp"

void pack_equal(const std::uint8_t* codes, std::size_t rows, std::uint8_t value,
                std::uint64_t* out) {
    for (std::size_t r = 0; r < rows; r += 64)
        out[r / 64] = equal_bits(codes + r, rows - r < 64 ? rows - r : 64, value);
}

}  // namespace

const LearnerKernels& learner_kernels_portable() {
    static const LearnerKernels kernels = kernels_of(4.0, 3.0, 1);
    return kernels;
}

}  // namespace depnet
