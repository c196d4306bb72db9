// The loops over bits and over x log x that are compiled once for each instruction set.
// They only count and look up: whatever set is chosen, the learner gives what
// tests/reference/learning.py gives.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa.hpp"

namespace depnet {

struct LearnerKernels {
    // One bit a row: bit r of `out` says whether codes[r] == value. Writes whole words.
    void (*pack_equal)(const std::uint8_t* codes, std::size_t rows, std::uint8_t value,
                       std::uint64_t* out);

    // out[a][b] += popcount(A_a & B_b) for bit strings of `words` words, a multiple of 8.
    void (*popcount_product)(const std::uint64_t* a, std::size_t a_stride, std::size_t a_rows,
                             const std::uint64_t* b, std::size_t b_stride, std::size_t b_rows,
                             std::size_t words, std::uint32_t* out, std::size_t out_stride);

    // counts[bit] = how many of the chosen rows have the bit set, by carry-save adders. A row is
    // `words` words: 1, 2, 4 or a multiple of 8. `rows` lists the chosen ones.
    void (*positional_popcount)(const std::uint64_t* bits, std::size_t words,
                                const std::uint32_t* rows, std::size_t chosen,
                                std::uint32_t* counts);

    // out[c] = T(n_c) - sum over s, ascending, of T(base[s] + counts[s][c]), where n_c sums the
    // same over s and T is looked up in `table`.
    void (*entropies)(const double* table, const std::uint32_t* counts, std::size_t stride,
                      std::size_t states, const std::uint32_t* base, std::size_t columns,
                      double* out);

    // out[c] = sum over s of weight[s] n_sc^2 / n_c, where n_sc = counts[s][c] and n_c sums it over
    // s; 0 where n_c is. Where weight[s] = 1 / n_s and c goes through the states of a variable,
    // these add up to 1 + chi^2 / n.
    void (*chi_terms)(const std::uint32_t* counts, std::size_t stride, std::size_t states,
                      const double* weight, std::size_t columns, double* out);

    // The best split of a leaf with two target states by binary variables: ones[s][v] of the
    // states[s] rows have X_v = 1. The first v of the least Delta = change / N + price[v], if that
    // is below *delta. No price is below `least_price`, and few are above.
    void (*best_binary_split)(const double* table, const std::uint32_t* ones, std::size_t stride,
                              const std::uint32_t* states, double entropy, double total,
                              double least_price, const double* price, std::size_t variables,
                              double* delta, std::int32_t* variable);

    // The numbers of the bits set in a & b, ascending; returns how many. `words` is a multiple
    // of 8.
    std::size_t (*list_bits)(const std::uint64_t* a, const std::uint64_t* b, std::size_t words,
                             std::uint32_t* out);

    // Shares a list out by one bit of each row, in order: bit `shift` of the 32-bit word row * step
    // + offset.
    void (*partition)(const std::uint32_t* rows, std::size_t chosen, const std::uint32_t* words,
                      std::uint32_t step, std::uint32_t offset, std::uint32_t shift,
                      bool one_bit_a_row, std::uint32_t* zeros, std::uint32_t* ones);

    // Up to this many planes, one after the other, share out a list sooner than its codes do.
    std::size_t partitions;
};

DEPNET_FOR_EACH_ISA(const LearnerKernels& kernels();)

inline const LearnerKernels& learner_kernels() { DEPNET_DISPATCH(kernels()) }

}  // namespace depnet
