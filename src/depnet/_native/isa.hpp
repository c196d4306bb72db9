// Which instruction set the kernels use: the best this machine has, or the one that the environment
// variable DEPNET_ISA names (avx512, avx2 or portable). The results are the same for all of them.
//
// A family of kernels is compiled once for each set, one translation unit each (see
// `depnet_for_each_isa` in CMakeLists.txt), in a namespace of its own named by
// DEPNET_ISA_NAMESPACE. They call nothing but each other, so that no function compiled for one set
// can be linked into another.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace depnet {

// Declarations in the namespace of every instruction set.
#define DEPNET_FOR_EACH_ISA(...) \
    namespace portable {         \
    __VA_ARGS__                  \
    }                            \
    namespace avx2 {             \
    __VA_ARGS__                  \
    }                            \
    namespace avx512 {           \
    __VA_ARGS__                  \
    }

// `call` in the namespace of the chosen instruction set.
#if defined(DEPNET_X86)
#define DEPNET_DISPATCH(call)      \
    switch (chosen_isa()) {        \
        case Isa::avx512:          \
            return avx512::call;   \
        case Isa::avx2:            \
            return avx2::call;     \
        default:                   \
            return portable::call; \
    }
#else
#define DEPNET_DISPATCH(call) return portable::call;
#endif

enum class Isa { portable, avx2, avx512 };

inline Isa best_isa() {
#if defined(DEPNET_X86)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512vpopcntdq");
    if (avx512) return Isa::avx512;
    if (avx2) return Isa::avx2;
#endif
    return Isa::portable;
}

// Read whenever kernels are chosen, at every call from Python, so that a test can change it.
inline Isa chosen_isa() {
    static const Isa best = best_isa();
    const char* wanted = std::getenv("DEPNET_ISA");
    if (wanted == nullptr || *wanted == '\0') return best;
    const std::string_view name(wanted);
    Isa isa = Isa::portable;
    if (name == "avx512")
        isa = Isa::avx512;
    else if (name == "avx2")
        isa = Isa::avx2;
    else if (name != "portable")
        throw std::invalid_argument("DEPNET_ISA is avx512, avx2 or portable; got " +
                                    std::string(name) + ".");
    if (isa > best)
        throw std::invalid_argument("DEPNET_ISA=" + std::string(name) +
                                    ": this machine does not have these instructions.");
    return isa;
}

}  // namespace depnet
