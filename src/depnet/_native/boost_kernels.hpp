// Boosting of one node, for every instruction set: plain data, and what the kernels do with it.
//
// A stage is grown by sums of gradients and curvatures over the rows of its leaves. They come from
// bits: each row's probability is rounded at random to four bits and its curvature to three, kept
// as bit planes, so that the sums for a split are ANDs and popcounts over bit columns. The rounding
// chooses splits only; the scores of leaves come from sums that are not rounded so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa.hpp"

namespace depnet::boost {

using Word = std::uint64_t;

constexpr std::size_t kRows = 64;  // rows in a word
constexpr std::size_t kBlock =
    8;  // words are padded to a multiple of this, with rows that count nothing
constexpr std::size_t kProbabilityBits = 4, kCurvatureBits = 3;
constexpr std::size_t kPlanes =
    1 + kProbabilityBits + kCurvatureBits;  // first: has the row the state?
constexpr float kTopProbability = (1 << kProbabilityBits) - 1;
constexpr float kTopCurvature = (1 << kCurvatureBits) - 1;
constexpr std::uint32_t kOne = 1u << 24;  // probabilities and curvatures are multiples of 2^-24

// Three sums as parts of one word: hits from bit 0 on, probabilities, curvatures.
constexpr int kProbabilityAt = 20, kCurvatureAt = 42;
constexpr std::uint64_t kHitsPart = (1u << kProbabilityAt) - 1;
constexpr std::uint64_t kSharePart = (1u << (kCurvatureAt - kProbabilityAt)) - 1;

// What rows sum to, of the rounded values: one number a test in each array.
struct Sums {
    std::int64_t *hits, *probability, *curvature;
};

// A leaf that is to be split: its own sums, and the units of rounded ones.
struct Gains {
    double gradient, curvature;  // of all its rows
    double probability_unit, curvature_unit;
    double shrinkage, least_curvature;
};

// Of a stage: how its planes are made. Row r takes a random word of `key` and r.
struct Rounding {
    std::uint64_t key;
    float probability_scale, curvature_scale;  // from multiples of 2^-24 to rounded values
};

// The loops that are compiled once for each instruction set. Rows are padded to whole words, whose
// last may hold rows that count nothing.
struct Kernels {
    // p of the second of two states, of the differences of their scores.
    void (*two_shares)(const std::int32_t* scores, std::size_t rows, std::uint32_t* p);
    // p[state][row] of scores [state][row].
    void (*shares)(const std::int32_t* scores, std::size_t states, std::size_t rows,
                   std::uint32_t* p);
    // The curvatures p (1 - p).
    void (*curvatures)(const std::uint32_t* p, std::size_t rows, std::uint32_t* bent);
    std::uint32_t (*largest)(const std::uint32_t* values, std::size_t rows);
    // The planes 1, 2, ... of rounded p, in the low bits, and curvature.
    void (*round_planes)(const std::uint32_t* p, const std::uint32_t* bent, std::size_t words,
                         const Rounding& rounding, Word* planes);
    // The planes within the rows of a leaf.
    void (*within)(const Word* leaf, const Word* planes, std::size_t words, Word* own);
    // The sums of the rows of these planes that pass each test: columns + tests[k] * stride.
    void (*count)(const Word* columns, std::size_t stride, const std::int32_t* tests,
                  std::size_t count, const Word* planes, std::size_t words, const Sums& sums);
    // What a split by each test gains; 0 where a part would have too little curvature.
    void (*gains)(const Gains& leaf, const Sums& sums, std::size_t count, double* gain);
    // How many rows are in both.
    std::int64_t (*count_both)(const Word* first, const Word* second, std::size_t words);
    // The rows of a leaf that pass a test, and those that do not.
    void (*divide)(const Word* column, const Word* leaf, std::size_t words, Word* inside,
                   Word* outside);
    // sums[y][0] += p, sums[y][1] += its curvature, over the rows of leaf y.
    void (*sum_leaves)(const Word* const* leaves, std::size_t count, std::size_t words,
                       const std::uint32_t* p, const std::uint32_t* bent, std::int64_t* sums);
    // scores[state][row] += values[state][y] in the rows of leaf y.
    void (*add_leaves)(const Word* const* leaves, std::size_t count, std::size_t words,
                       const std::int32_t* values, std::size_t states, std::int32_t* scores);
    // The sum over rows of log p of their own states.
    double (*log_score)(const std::uint32_t* p, std::size_t states, std::size_t stride,
                        const std::uint16_t* own, std::size_t rows);
};

DEPNET_FOR_EACH_ISA(const Kernels& kernels();)

inline const Kernels& chosen_kernels() { DEPNET_DISPATCH(kernels()) }

}  // namespace depnet::boost
