// The body of one translation unit: every sampling kernel, for one instruction set.
#pragma once

#include "sampler_codes.hpp"
#include "sampler_kernels.hpp"
#include "sampler_packed.hpp"

namespace depnet::sampler::DEPNET_ISA_NAMESPACE {

std::int64_t codes(const Program& p, const Task& task, const Randomness& random,
                   std::uint8_t* state, std::uint8_t* out) {
    return run_codes(p, task, random, state, out);
}
std::int64_t codes(const Program& p, const Task& task, const Randomness& random,
                   std::uint16_t* state, std::uint16_t* out) {
    return run_codes(p, task, random, state, out);
}
std::int64_t trace(const Program& p, const Randomness& random, std::int64_t first,
                   std::int64_t steps, std::uint8_t* x, std::uint8_t* out) {
    return run_trace(p, random, first, steps, x, out);
}
std::int64_t trace(const Program& p, const Randomness& random, std::int64_t first,
                   std::int64_t steps, std::uint16_t* x, std::uint16_t* out) {
    return run_trace(p, random, first, steps, x, out);
}
void packed(const PackedProgram& p, const Task& task, const Randomness& random,
            std::uint64_t* state, std::uint8_t* out) {
    const auto run = p.width == 1 ? run_packed<1> : p.width == 2 ? run_packed<2> : run_packed<4>;
    run(p, task, random, state, out);
}

// The floor that the benchmarks compare with: one scalar generator, nothing done with its words.
std::uint32_t scalar_words(std::uint64_t seed, std::int64_t blocks) {
    std::uint32_t four[4], sum = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
        philox_scalar(seed, 0, static_cast<std::uint64_t>(b), 0, four);
        sum += four[0] ^ four[1] ^ four[2] ^ four[3];
    }
    return sum;
}

void words(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::int64_t first_chain,
           std::int64_t chains, std::int64_t rows, std::uint32_t* out) {
    for (std::int64_t c = 0; c < chains; c += kTile) {
        const std::int64_t n = chains - c < kTile ? chains - c : kTile;
        Rows made(seed, stream, first_chain + c, n, nullptr, 0, 0);
        for (std::int64_t r = 0; r < rows; ++r)
            __builtin_memcpy(out + r * chains + c, made.row(first + r), n * sizeof(std::uint32_t));
    }
}

}  // namespace depnet::sampler::DEPNET_ISA_NAMESPACE
