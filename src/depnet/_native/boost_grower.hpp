// One node boosted: stage after stage, each a graph grown leaf by leaf for the best gain.
//
// With G the sum of the gradients 1 - p (or -p) and H that of the curvatures p (1 - p) of the
// state that a stage looks at, a split of a leaf gains
//
//   G1^2 / (H1 + lambda) + G0^2 / (H0 + lambda) - G^2 / (H + lambda),
//
// twice what a Newton step within its two parts gains in nats. Scores of a leaf are rate times the
// Newton step of each state, G_x / (c H_x + lambda), c = K / (K - 1) for K states: with one score a
// state, two states then move their difference as one logit would.
#pragma once

#include <vector>

#include "boost_kernels.hpp"
#include "learner_watch.hpp"
#include "splitmix.hpp"

namespace depnet::boost {

// The bit columns of some tests over some rows, and the states of rows.
struct RowBits {
    std::size_t rows = 0, words = 0;  // words: a multiple of kBlock
    std::vector<Word> columns;        // [test][word]
};

struct Test {
    std::int32_t variable;
    std::uint16_t low, high;
};

// A share of the variables, rounded up, drawn by words of `key`; ascending.
std::vector<std::int32_t> drawn_share(std::vector<std::int32_t> variables, double share,
                                      std::uint64_t key);

// What a node is boosted with.
struct Settings {
    std::size_t stages, leaves, patience;
    double rate, lambda, least_curvature, share;
    std::uint64_t seed;
};

// Sums of the rows of a leaf that pass each test of a stage.
struct TestSums {
    std::vector<std::int64_t> hits, probability, curvature;

    void clear(std::size_t tests) {
        for (auto* each : {&hits, &probability, &curvature}) each->assign(tests, 0);
    }
    Sums view() { return {hits.data(), probability.data(), curvature.data()}; }
    // Less those of a part of the rows.
    void subtract(const TestSums& part) {
        for (std::size_t k = 0; k < hits.size(); ++k) hits[k] -= part.hits[k];
        for (std::size_t k = 0; k < hits.size(); ++k) probability[k] -= part.probability[k];
        for (std::size_t k = 0; k < hits.size(); ++k) curvature[k] -= part.curvature[k];
    }
};

// A leaf that may still be split.
struct OpenLeaf {
    std::vector<Word> rows;
    TestSums sums;
    std::int64_t size = 0;
    std::int64_t hits = 0, probability = 0, curvature = 0;  // of all its rows
    double gain = 0.0;
    std::int32_t best = -1;  // among the stage's tests
};

struct Split {
    std::uint16_t leaf;
    std::int32_t test;
    double gain;
};

// The stages grown so far.
struct Grown {
    std::vector<std::int32_t> begin{0};
    std::vector<Split> splits;
    std::vector<std::int32_t> scores;  // [leaf][state]
    std::vector<double>
        held_scores;  // sum of log theta of the rows held out, before and after each stage
    std::vector<double> gains;  // [variable]: nats
};

// The rows of one node: their bit columns, the states of its variable, and their summed scores. Of
// two states only the difference of their scores and p of the second are kept.
struct NodeRows {
    const RowBits& bits;
    std::vector<std::uint16_t> own;
    std::vector<std::int32_t> scores;  // [state][row], padded to whole words
    std::vector<std::uint32_t> p;      // likewise

    std::size_t padded() const { return bits.words * kRows; }
};

class Booster {
  public:
    Booster(const Settings& settings, const std::vector<Test>& tests, std::size_t variables,
            std::vector<std::int32_t> readable, std::size_t states)
        : kernels_(chosen_kernels()),
          settings_(settings),
          tests_(tests),
          readable_(std::move(readable)),
          states_(states) {
        grown_.gains.assign(variables, 0.0);
        own_tests_.resize(variables);
        for (std::size_t d = 0; d < tests_.size(); ++d)
            own_tests_[static_cast<std::size_t>(tests_[d].variable)].push_back(
                static_cast<std::int32_t>(d));
    }

    // Grow until `stages` are there, or `patience` stages have not scored better on the rows held
    // out.
    void run(NodeRows& rows, NodeRows* held, Watch& watch);

    Grown& grown() { return grown_; }

  private:
    void draw_tests(std::uint64_t key);
    void make_root(const NodeRows& rows, std::uint64_t key);
    void find_best(OpenLeaf& leaf);
    void count_leaf(const NodeRows& rows, OpenLeaf& leaf);
    bool grow_stage(NodeRows& rows, std::uint64_t key, Watch& watch);
    void score_leaves(NodeRows& rows);
    void add_scores(NodeRows& rows, const std::vector<const Word*>& masks) const;
    void add_held(NodeRows& held);
    void update(NodeRows& rows) const;
    double score_of(const NodeRows& rows) const;

    const Kernels& kernels_;
    Settings settings_;
    const std::vector<Test>& tests_;
    std::vector<std::int32_t> readable_;
    std::size_t states_;
    std::vector<std::vector<std::int32_t>> own_tests_;  // of each variable

    Grown grown_;
    std::vector<std::int32_t> stage_tests_;  // that this stage may use
    std::size_t state_ = 0;  // that this stage looks at: of two the second, of more each in turn
    std::vector<std::uint32_t> bent_;         // the curvature of its probability in each row
    std::vector<Word> planes_, leaf_planes_;  // [plane][word]: of all rows, of those of a leaf
    std::vector<Word> having_, all_;          // the rows with each state, and all rows
    std::vector<OpenLeaf> leaves_;
    std::vector<double> gain_;                              // of each test of the stage
    double probability_unit_ = 0.0, curvature_unit_ = 0.0;  // of rounded sums
};

}  // namespace depnet::boost
