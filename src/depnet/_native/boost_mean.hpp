// Stages whose leaves have one number each: their sum is the mean of a number given the inputs.
//
// With the residuals r (the number less what the stages before say) and G the sum of those of n
// rows, a split of a leaf gains
//
//   G1^2 / (n1 + lambda) + G0^2 / (n0 + lambda) - G^2 / (n + lambda),
//
// what a least-squares step within its two parts takes from the sum of squares; a leaf gets rate
// times G / (n + lambda). Residuals are whole numbers, so that sums are the same in any order, and
// come from histograms of a leaf's rows by each variable's states.
#pragma once

#include <vector>

#include "boost_grower.hpp"
#include "learner_watch.hpp"

namespace depnet::boost {

// The states of an input in their order: `present` of them, and one more for missing values where
// `missing`. Its tests are cuts, values missing on either side.
struct MeanInput {
    std::size_t present;
    bool missing;

    std::size_t states() const { return present + missing; }
};

struct MeanSettings {
    std::size_t stages, leaves, patience;
    double rate, lambda, share;
    std::int64_t least_rows;  // of a leaf
    std::uint64_t seed;
};

// Rows by columns of codes, and their residuals.
struct MeanRows {
    std::size_t rows;
    std::vector<std::uint16_t> codes;  // [variable][row]
    std::vector<std::int32_t> residuals;

    const std::uint16_t* column(std::size_t j) const { return codes.data() + j * rows; }
    // The sum of squares of the residuals.
    double loss() const;
};

struct MeanSplit {
    std::uint16_t leaf;
    Test test;
};

struct MeanGrown {
    std::vector<std::int32_t> begin{0};
    std::vector<MeanSplit> splits;
    std::vector<std::int32_t> values;  // of leaves, stage after stage
    std::vector<double> held_losses;   // at the start, and after each stage
};

class MeanBooster {
  public:
    MeanBooster(const MeanSettings& settings, std::vector<MeanInput> inputs);
    // Grows stages from `rows`, whose residuals it changes; with rows held out, until `patience`
    // stages have not lessened their loss.
    void run(MeanRows& rows, MeanRows* held, Watch& watch);
    MeanGrown& grown() { return grown_; }

  private:
    struct Cell {
        std::int64_t sum = 0, rows = 0;
    };
    struct Leaf {
        std::vector<std::uint32_t> rows;
        Cell total;
        std::vector<Cell> cells;  // [variable, state] of the stage's variables
        double gain = 0.0;
        Test test{-1, 0, 0};
    };

    bool grow_stage(MeanRows& rows, std::uint64_t key, Watch& watch);
    void draw(std::uint64_t key);
    void count(const MeanRows& rows, Leaf& leaf) const;
    void find_best(Leaf& leaf) const;
    void consider(Leaf& leaf, const Cell& inside, Test test) const;
    void step(MeanRows& rows);
    void add_held(MeanRows& held) const;

    MeanSettings settings_;
    std::vector<MeanInput> inputs_;
    std::vector<std::size_t>
        begin_;  // of each variable's cells, those of a stage one after the other
    std::vector<std::int32_t> drawn_;
    std::size_t cells_ = 0;
    std::vector<Leaf> leaves_;
    MeanGrown grown_;
};

}  // namespace depnet::boost
