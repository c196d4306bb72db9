// Boosted nodes: the scores of stages, summed for many rows at once. A stage is a list of splits:
//
//   Y starts at 0; split t, in turn:  Y <- t + 1  if Y = leaf[t] and low <= x_variable <= high
//
// and s[Y, x] is added to the score of state x. Scores are whole multiples of 2^-20, so that their
// sum does not depend on its order. Sixty-four rows go through a split together, as bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa.hpp"

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
    const std::int32_t* column;  // of each stage the only state it has scores of, or kEveryState
    std::size_t states;
};
constexpr std::int32_t kEveryState = -1;

// The tree of a number whose scores are those of its digits: column v is the logit of vertex v,
// which the states low[v], ..., high[v] - 1 reach; its digit is 1 from middle[v] on. None: `count`
// is 0, and scores are of the states.
struct Digits {
    std::size_t count = 0;
    const std::int32_t *low = nullptr, *middle = nullptr, *high = nullptr;
};

// `scores` is [state][kRows]; `masks` has one word a test, its outcomes. A column of code type
// `Code` is codes + variable * stride; `rows` of it are read, and scores of rows beyond them are of
// no meaning. `add_scores` finds the outcomes of all tests and adds all stages; `test_mask` finds
// those of one test, and `add_stages` adds the `count` stages that `which` names.
DEPNET_FOR_EACH_ISA(std::uint64_t test_mask(const View&, std::size_t test,
                                            const std::uint16_t* column);
                    void add_stages(const View&, const std::int32_t* which, std::size_t count,
                                    const std::uint64_t* masks, std::int32_t* scores);
                    void add_scores(const View&, const std::uint8_t* codes, std::size_t stride,
                                    std::size_t rows, std::uint64_t* masks, std::int32_t* scores);
                    void add_scores(const View&, const std::uint16_t* codes, std::size_t stride,
                                    std::size_t rows, std::uint64_t* masks, std::int32_t* scores);
                    void probabilities(const std::int32_t* scores, std::size_t states,
                                       const Digits& digits, double* theta);)

}  // namespace depnet::stages
