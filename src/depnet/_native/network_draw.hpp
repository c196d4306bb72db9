// Drawing the variable of a node in many rows at once, for one instruction set.
//
// Rows go through a node 64 at a time, their codes column after column in a tile that the nearest
// cache holds. Graphs are walked by all of them together, a level at a time: the loads of one row
// then do not wait for those of another. theta of boosted nodes is made of summed scores.
#pragma once

#include <cmath>
#include <limits>

#include "fixed_math.hpp"
#include "thresholds.hpp"

namespace depnet::network::DEPNET_ISA_NAMESPACE {

namespace kernels = stages::DEPNET_ISA_NAMESPACE;

// Walk `count` rows, those of `active`, from their slots to leaves, or to a test of `until`; the
// slots that they come to are left in `at`.
inline void walk(const View& view, const std::uint16_t* tile, std::int32_t until,
                 std::int32_t* active, std::size_t count, Slot* at) {
    const Slot* slots = view.slots;
    while (count > 0) {
        std::size_t going = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const std::int32_t r = active[k];
            const Slot from = at[r];
            const Slot to =
                slots[from.next + tile[static_cast<std::size_t>(from.variable) * kRows + r]];
            at[r] = to;
            active[going] = r;
            going += (to.variable != kLeaf) & (to.variable != until);
        }
        count = going;
    }
}

// The leaves of the tile's first `rows` rows.
inline void leaves_of(const View& view, const Node& node, const std::uint16_t* tile,
                      std::size_t rows, std::int32_t* leaf) {
    if (node.map >= 0) {
        std::int32_t index[kRows] = {};
        for (std::int64_t k = node.input_begin; k < node.input_end; ++k) {
            const std::uint16_t* column =
                tile + static_cast<std::size_t>(view.inputs[k].variable) * kRows;
            const std::int32_t stride = view.inputs[k].stride;
            for (std::size_t r = 0; r < kRows; ++r) index[r] += stride * column[r];
        }
        const std::int32_t* map = view.leaf_map + node.map;
        for (std::size_t r = 0; r < rows; ++r) leaf[r] = map[index[r]];
        return;
    }
    if (node.root.variable == kLeaf) {
        for (std::size_t r = 0; r < rows; ++r) leaf[r] = node.root.next;
        return;
    }
    Slot at[kRows];
    std::int32_t active[kRows];
    for (std::size_t r = 0; r < rows; ++r) at[r] = node.root;
    for (std::size_t r = 0; r < rows; ++r) active[r] = static_cast<std::int32_t>(r);
    walk(view, tile, kLeaf, active, rows, at);
    for (std::size_t r = 0; r < rows; ++r) leaf[r] = at[r].next;
}

// log of each of kRows numbers that are not negative.
inline void logs_of(const double* values, double* logs) {
    bool normal = true;
    for (std::size_t r = 0; r < kRows; ++r) {
        normal &= values[r] >= std::numeric_limits<double>::min();
        logs[r] = fixed::log(values[r]);
    }
    if (normal) return;
    for (std::size_t r = 0; r < kRows; ++r)
        if (!(values[r] >= std::numeric_limits<double>::min())) logs[r] = std::log(values[r]);
}

// Add the scores of the first source, whose leaves are those of a tile's codes.
inline void add_start(const View& view, const Node& node, const std::uint16_t* tile,
                      std::int32_t* scores) {
    const auto states = static_cast<std::size_t>(node.states);
    const std::int32_t* start = view.boosted[node.boosted].start;
    if (node.map < 0 && node.root.variable == kLeaf) {
        start += static_cast<std::size_t>(node.root.next) * states;
        for (std::size_t s = 0; s < states; ++s)
            for (std::size_t r = 0; r < kRows; ++r) scores[s * kRows + r] += start[s];
        return;
    }
    std::int32_t leaf[kRows];
    leaves_of(view, node, tile, kRows, leaf);
    for (std::size_t s = 0; s < states; ++s)
        for (std::size_t r = 0; r < kRows; ++r)
            scores[s * kRows + r] += start[static_cast<std::size_t>(leaf[r]) * states + s];
}

inline void clear(std::int32_t* scores, const Node& node) {
    __builtin_memset(scores, 0, static_cast<std::size_t>(node.states) * kRows * sizeof *scores);
}

// theta [state][kRows] of a boosted node, into the scratch.
inline void boosted_tile(const View& view, const Node& node, const std::uint16_t* tile,
                         const Scratch& scratch) {
    clear(scratch.scores, node);
    add_start(view, node, tile, scratch.scores);
    kernels::add_scores(view.boosted[node.boosted].stages, tile, kRows, kRows, scratch.masks,
                        scratch.scores);
    kernels::probabilities(scratch.scores, static_cast<std::size_t>(node.states),
                           view.boosted[node.boosted].digits, scratch.theta);
}

// log theta of the code that a node's variable has in the tile's first `rows` rows.
inline void own_logs(const View& view, const Node& node, const std::uint16_t* tile,
                     std::size_t rows, const Scratch& scratch, double* logs) {
    const std::uint16_t* own = tile + static_cast<std::size_t>(node.variable) * kRows;
    if (node.boosted >= 0) {
        double chosen[kRows];
        boosted_tile(view, node, tile, scratch);
        for (std::size_t r = 0; r < kRows; ++r)
            chosen[r] = scratch.theta[(r < rows ? own[r] : 0) * kRows + r];
        logs_of(chosen, logs);
        return;
    }
    std::int32_t leaf[kRows];
    leaves_of(view, node, tile, rows, leaf);
    for (std::size_t r = 0; r < rows; ++r)
        logs[r] = view.log_theta[node.cells + std::int64_t{leaf[r]} * node.states + own[r]];
}

// Draw a boosted node's variable in the tile's first `rows` rows, of which `words` are the words.
inline void draw_boosted(const View& view, const Node& node, const Step& step,
                         const std::uint16_t* tile, const std::uint32_t* words, std::size_t rows,
                         const Scratch& scratch, std::uint16_t* column, double* log_weights) {
    const auto states = static_cast<std::size_t>(node.states);
    double* theta = scratch.theta;
    boosted_tile(view, node, tile, scratch);
    double total[kRows] = {}, sum[kRows] = {}, logs[kRows];
    if (step.code >= 0) {
        logs_of(theta + static_cast<std::size_t>(step.code) * kRows, logs);
        for (std::size_t r = 0; r < rows; ++r) log_weights[r] += logs[r];
        for (std::size_t r = 0; r < rows; ++r) column[r] = static_cast<std::uint16_t>(step.code);
        return;
    }
    if (step.weights != nullptr)
        for (std::size_t s = 0; s < states; ++s)
            for (std::size_t r = 0; r < kRows; ++r) theta[s * kRows + r] *= step.weights[s];
    for (std::size_t s = 0; s < states; ++s)
        for (std::size_t r = 0; r < kRows; ++r) total[r] += theta[s * kRows + r];
    std::uint32_t word[kRows] = {}, state[kRows] = {};
    for (std::size_t r = 0; r < rows; ++r) word[r] = clipped(words[r]);
    for (std::size_t s = 0; s + 1 < states; ++s)
        for (std::size_t r = 0; r < kRows; ++r) {
            sum[r] += theta[s * kRows + r];
            state[r] += threshold(sum[r], total[r]) <= word[r];
        }
    if (step.weights != nullptr) {
        logs_of(total, logs);
        for (std::size_t r = 0; r < rows; ++r) log_weights[r] += logs[r];
        std::uint32_t allowed = 0;
        while (!(step.weights[allowed] > 0.0)) ++allowed;
        for (std::size_t r = 0; r < rows; ++r)
            if (!(total[r] > 0.0)) state[r] = allowed;
    }
    for (std::size_t r = 0; r < rows; ++r) column[r] = static_cast<std::uint16_t>(state[r]);
}

// Draw a step's variable in the tile's first `rows` rows, whose words are `words`, into `column`.
// What is known of it is added to the rows' log_weights.
inline void draw_column(const View& view, const Step& step, const std::uint16_t* tile,
                        const std::uint32_t* words, std::size_t rows, const Scratch& scratch,
                        std::uint16_t* column, double* log_weights) {
    const Node& node = view.nodes[step.place];
    if (node.boosted >= 0) {
        draw_boosted(view, node, step, tile, words, rows, scratch, column, log_weights);
        return;
    }
    std::int32_t leaf[kRows];
    leaves_of(view, node, tile, rows, leaf);
    if (step.logs != nullptr)
        for (std::size_t r = 0; r < rows; ++r) log_weights[r] += step.logs[leaf[r] * step.stride];
    if (step.code >= 0) {
        for (std::size_t r = 0; r < rows; ++r) column[r] = static_cast<std::uint16_t>(step.code);
    } else if (node.states == 2) {
        for (std::size_t r = 0; r < rows; ++r)
            column[r] = static_cast<std::uint16_t>(step.marks[leaf[r]] <= clipped(words[r]));
    } else {
        const std::int64_t marks = node.states - 1;
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint32_t w = clipped(words[r]);
            const std::uint32_t* own = step.marks + leaf[r] * marks;
            std::uint32_t state = 0;
            for (std::int64_t s = 0; s < marks; ++s) state += own[s] <= w;
            column[r] = static_cast<std::uint16_t>(state);
        }
    }
}

}  // namespace depnet::network::DEPNET_ISA_NAMESPACE
