// What the kernels share: a tile of chains with its words, and the order of sweeps and records.
#pragma once

#include "sampler_philox.hpp"
#include "sampler_program.hpp"
#include "thresholds.hpp"

namespace depnet::sampler::DEPNET_ISA_NAMESPACE {

inline std::int64_t chosen_node(const Scan& scan, std::uint32_t word) {
    if (scan.uniform)
        return static_cast<std::int64_t>((static_cast<std::uint64_t>(word) * scan.node_count) >>
                                         32);
    const std::uint32_t w = clipped(word);
    std::int64_t i = scan.guide[w >> kGuideShift];
    while (i < scan.node_count - 1 && scan.choice[i] <= w) ++i;
    return i;
}

// Up to 64 neighbouring chains of a task, the first of them `first`, and their words.
struct TileWords {
    std::int64_t first, chains;
    const Scan& scan;
    Rows words, places;

    TileWords(const Scan& scan, const Task& task, const Randomness& random, std::int64_t first)
        : first(first),
          chains(task.chains - first < kTile ? task.chains - first : kTile),
          scan(scan),
          words(random.seed, random.stream, task.first_chain + first, chains,
                random.words ? random.words + first : nullptr, task.chains,
                index(task.first_sweep)),
          places(random.seed, random.place_stream, task.first_chain + first, chains,
                 random.place_words ? random.place_words + first : nullptr, task.chains,
                 static_cast<std::uint64_t>(task.first_record)) {}

    // The first word of a sweep.
    std::uint64_t index(std::int64_t sweep) const {
        return static_cast<std::uint64_t>(sweep) * scan.node_count * (scan.random ? 2 : 1);
    }

    // place[chain]: where in its sweep a record is taken.
    void record_places(std::int64_t record_number, std::int64_t* place) {
        const std::uint32_t* word = places.row(static_cast<std::uint64_t>(record_number));
        for (std::int64_t c = 0; c < chains; ++c) place[c] = place_of(word[c], scan.node_count);
    }
};

// The sweeps and records of a task, for a `Run` that has
//   sweeps(first, count): run them;
//   record(out, row): write the rows of its chains, from `row` on;
//   sweep_with_record(sweep, record number, out, row): the same at random places of a sweep;
// all of them false where a chain cannot go on.
template <typename Run, typename Code>
bool run_task(Run& run, const Task& task, bool between_sweeps, Code* out) {
    std::int64_t sweep = task.first_sweep;
    const auto go_on = [&](std::int64_t count) {
        sweep += count;
        return run.sweeps(sweep - count, count);
    };
    if (!go_on(task.lead)) return false;
    for (std::int64_t r = 0; r < task.records; ++r) {
        if (r > 0 && !go_on(task.gap)) return false;
        const std::int64_t row = task.first_row + r * task.record_stride;
        if (between_sweeps)
            run.record(out, row);
        else if (!run.sweep_with_record(sweep++, task.first_record + r, out, row))
            return false;
    }
    return true;
}

}  // namespace depnet::sampler::DEPNET_ISA_NAMESPACE
