// The body of one translation unit: every sampling kernel, for one instruction set.
#pragma once

#include "sampler_codes.hpp"
#include "sampler_packed.hpp"

namespace depnet::sampler::DEPNET_ISA_NAMESPACE {

template std::int64_t codes(const Program&, const Task&, const Randomness&, std::uint8_t*,
                            std::uint8_t*);
template std::int64_t codes(const Program&, const Task&, const Randomness&, std::uint16_t*,
                            std::uint16_t*);
template std::int64_t trace(const Program&, const Randomness&, std::int64_t, std::int64_t,
                            std::uint8_t*, std::uint8_t*);
template std::int64_t trace(const Program&, const Randomness&, std::int64_t, std::int64_t,
                            std::uint16_t*, std::uint16_t*);

void packed(const PackedProgram& p, const Task& task, const Randomness& random,
            std::uint64_t* state, std::uint8_t* out) {
    const auto run = p.width == 1 ? run_packed<1> : p.width == 2 ? run_packed<2> : run_packed<4>;
    run(p, task, random, state, out);
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
