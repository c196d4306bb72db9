// SplitMix64 as a counter generator.
#pragma once

#include <cstdint>

namespace depnet {

// Internal to each unit: units are compiled for different instruction sets.
// Word number `counter` of the stream `key`; it may be the key of a stream of its own.
static inline std::uint64_t splitmix(std::uint64_t key, std::uint64_t counter) {
    std::uint64_t z = key + (counter + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

}  // namespace depnet
