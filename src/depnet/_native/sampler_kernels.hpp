// The sampling kernels of every instruction set. Each set is one translation unit that defines
// DEPNET_ISA_NAMESPACE and includes sampler_unit.hpp; they call nothing but each other, so that no
// function compiled for one set can be linked into another.
#pragma once

#include "sampler_program.hpp"

namespace depnet::sampler {

#define DEPNET_DECLARE_KERNELS(isa)                                                    \
    namespace isa {                                                                    \
    std::int64_t codes(const Program&, const Task&, const Randomness&, std::uint8_t*,  \
                       std::uint8_t*);                                                 \
    std::int64_t codes(const Program&, const Task&, const Randomness&, std::uint16_t*, \
                       std::uint16_t*);                                                \
    std::int64_t trace(const Program&, const Randomness&, std::int64_t, std::int64_t,  \
                       std::uint8_t*, std::uint8_t*);                                  \
    std::int64_t trace(const Program&, const Randomness&, std::int64_t, std::int64_t,  \
                       std::uint16_t*, std::uint16_t*);                                \
    void packed(const PackedProgram&, const Task&, const Randomness&, std::uint64_t*,  \
                std::uint8_t*);                                                        \
    std::uint32_t scalar_words(std::uint64_t seed, std::int64_t blocks);               \
    void words(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,          \
               std::int64_t first_chain, std::int64_t chains, std::int64_t rows,       \
               std::uint32_t* out);                                                    \
    }

DEPNET_DECLARE_KERNELS(portable)
DEPNET_DECLARE_KERNELS(avx2)
DEPNET_DECLARE_KERNELS(avx512)

}  // namespace depnet::sampler
