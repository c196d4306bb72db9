// Boosted nodes: the scores of stages, summed for many rows at once. A stage is a list of splits:
//
//   Y starts at 0; split t, in turn:  Y <- t + 1  if Y = leaf[t] and low <= x_variable <= high
//
// and s[Y, x] is added to the score of state x. Scores are whole multiples of 2^-20, so that their
// sum does not depend on its order. Sixty-four rows go through a split together, as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace depnet::stages {

constexpr std::size_t kRows = 64;  // rows that go through the stages together
constexpr double kUnit = 0x1p-20;  // of scores
constexpr std::size_t kMostLeaves = 256;

// Of one node. Stage m has the splits begin[m], ..., begin[m + 1] - 1 and one leaf more than
// splits; its scores [state][leaf] begin at (begin[m] + m) * states: as `by_state` makes them of
// [leaf][state]. Splits name one of the tests.
struct View {
    std::size_t tests;
    const std::int32_t* variable;
    const std::uint16_t *low, *high;
    std::size_t stages;
    const std::int32_t* begin;
    const std::uint16_t* leaf;
    const std::int32_t* test;
    const std::int32_t* by_state;
    std::size_t states;
};

// Scores [leaf][state] of stages that begin at `begin`, as [state][leaf] of each stage.
static inline std::vector<std::int32_t> by_state(const std::int32_t* begin, std::size_t stages,
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

// `scores` is [state][kRows]; `masks` has one word a test. A column of code type `Code` is
// codes + variable * stride; `rows` of it are read. `add_scores` is `test_masks` and then
// `add_stages` of all stages; the latter adds `count` stages, those that `which` names unless it is
// null. Scores of rows beyond `rows` are of no meaning.
#define DEPNET_DECLARE_STAGES(isa)                                                                 \
    namespace isa {                                                                                \
    void test_masks(const View&, const std::uint8_t* codes, std::size_t stride, std::size_t rows,  \
                    std::uint64_t* masks);                                                         \
    void test_masks(const View&, const std::uint16_t* codes, std::size_t stride, std::size_t rows, \
                    std::uint64_t* masks);                                                         \
    std::uint64_t test_mask(const View&, std::size_t test, const std::uint16_t* column);           \
    void add_stages(const View&, const std::int32_t* which, std::size_t count,                     \
                    const std::uint64_t* masks, std::int32_t* scores);                             \
    void add_scores(const View&, const std::uint8_t* codes, std::size_t stride, std::size_t rows,  \
                    std::uint64_t* masks, std::int32_t* scores);                                   \
    void add_scores(const View&, const std::uint16_t* codes, std::size_t stride, std::size_t rows, \
                    std::uint64_t* masks, std::int32_t* scores);                                   \
    void probabilities(const std::int32_t* scores, std::size_t states, double* theta);             \
    }

DEPNET_DECLARE_STAGES(portable)
DEPNET_DECLARE_STAGES(avx2)
DEPNET_DECLARE_STAGES(avx512)

}  // namespace depnet::stages
