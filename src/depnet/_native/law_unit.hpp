// The body of one translation unit: passes and moves, for one instruction set.
#pragma once

#include "law_moves.hpp"
#include "stages_unit.hpp"

namespace depnet::law::DEPNET_ISA_NAMESPACE {

static_assert(kRows == philox::kTile);

// One step of a pass in the rows of a tile, by their own roles.
inline void step_by_roles(const View& view, const Step& step, const PassTask& task,
                          std::size_t begin, std::size_t rows, const std::uint32_t* words) {
    const Node& node = view.nodes[step.place];
    const auto i = static_cast<std::size_t>(node.variable);
    std::uint16_t* column = task.tile + i * kRows;
    std::uint8_t role[kRows], any = 0;
    for (std::size_t r = 0; r < rows; ++r)
        any |= role[r] = task.roles[(begin + r) * view.variables + i];
    if (any & kDraw) {
        std::uint16_t drawn[kRows];
        draw_column(view, step, task.tile, words, rows, task.scratch, drawn, nullptr);
        for (std::size_t r = 0; r < rows; ++r)
            if (role[r] == kDraw) column[r] = drawn[r];
    }
    if (any & kWeigh) {
        double logs[kRows];
        own_logs(view, node, task.tile, rows, task.scratch, logs);
        for (std::size_t r = 0; r < rows; ++r)
            if (role[r] == kWeigh) task.log_weights[begin + r] += logs[r];
    }
}

template <typename Code>
void run_pass(const View& view, const PassTask& task, Code* codes) {
    for (std::size_t begin = 0; begin < task.rows; begin += kRows) {
        const std::size_t rows = task.rows - begin < kRows ? task.rows - begin : kRows;
        philox::Rows made(task.seed, kPassStream, task.first + static_cast<std::int64_t>(begin),
                          task.words ? task.words + begin : nullptr, task.stride);
        for (std::size_t k = 0; k < task.given_count; ++k) {
            const auto i = static_cast<std::size_t>(task.given[k]);
            kernels::copy_codes(codes + i * task.rows + begin, rows, task.tile + i * kRows);
        }
        for (std::size_t k = 0; k < task.count; ++k) {
            const Step& step = task.steps[k];
            const auto i = static_cast<std::size_t>(view.nodes[step.place].variable);
            std::uint16_t* column = task.tile + i * kRows;
            const std::uint32_t* words = made.row(static_cast<std::uint64_t>(step.place));
            if (task.roles != nullptr)
                step_by_roles(view, step, task, begin, rows, words);
            else
                draw_column(view, step, task.tile, words, rows, task.scratch, column,
                            task.log_weights + begin);
            kernels::copy_codes(column, rows, codes + i * task.rows + begin);
        }
    }
}

void pass(const View& view, const PassTask& task, std::uint8_t* codes) {
    run_pass(view, task, codes);
}
void pass(const View& view, const PassTask& task, std::uint16_t* codes) {
    run_pass(view, task, codes);
}
void move(const View& view, const MoveTask& task) {
    const Mover mover{view, task};
    for (std::size_t begin = 0; begin < task.rows; begin += kRows)
        mover.run(begin, task.rows - begin < kRows ? task.rows - begin : kRows);
}

void words(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::int64_t first_chain,
           std::int64_t chains, std::int64_t rows, std::uint32_t* out) {
    for (std::int64_t c = 0; c < chains; c += philox::kTile) {
        const std::int64_t n = chains - c < philox::kTile ? chains - c : philox::kTile;
        philox::Rows made(seed, stream, first_chain + c);
        for (std::int64_t r = 0; r < rows; ++r)
            __builtin_memcpy(out + r * chains + c, made.row(first + r), n * sizeof(std::uint32_t));
    }
}

}  // namespace depnet::law::DEPNET_ISA_NAMESPACE
