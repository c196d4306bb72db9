// The kernel for binary networks under the sequential scan: 512 chains a vector, one bit each.
// Slow twin: tests/reference/sampling.py.
//
// A node pushes the mask of all chains down its decision graph, which gives the chains of every
// leaf. Each chain's random word is compared with its leaf's threshold bit by bit, highest first:
// plane b holds bit b of all the words, and a chain is decided at the first bit where word and
// threshold differ. After twelve planes nearly every vector is decided, so that few random words
// are made.
//
// All chains take the same step together, which is right for the sequential scan only: chains that
// share a random sequence of nodes are not independent draws.
#pragma once

#include "sampler_task.hpp"

namespace depnet::sampler::DEPNET_ISA_NAMESPACE {

constexpr std::int64_t kGroup = 512;  // chains a vector
constexpr std::int64_t kGroups = 8;   // vectors that take a step together

#if defined(__AVX512F__)
inline V8 load(const std::uint64_t* p) { return {_mm512_loadu_si512(p)}; }
inline V8 both(V8 a, V8 b) { return {_mm512_and_si512(a.v, b.v)}; }
inline V8 without(V8 a, V8 b) { return {_mm512_andnot_si512(b.v, a.v)}; }
inline V8 either(V8 a, V8 b) { return {_mm512_or_si512(a.v, b.v)}; }
inline V8 or_both(V8 a, V8 b, V8 c) { return {_mm512_ternarylogic_epi64(a.v, b.v, c.v, 0xF8)}; }
inline V8 or_without(V8 a, V8 b, V8 c) { return {_mm512_ternarylogic_epi64(a.v, b.v, c.v, 0xF4)}; }
inline V8 equal_in(V8 a, V8 b, V8 c) { return {_mm512_ternarylogic_epi64(a.v, b.v, c.v, 0x90)}; }
inline bool empty(V8 a) { return _mm512_test_epi64_mask(a.v, a.v) == 0; }
inline void spread(std::uint64_t bits, std::uint8_t* to) {
    _mm512_storeu_si512(to, _mm512_maskz_set1_epi8(bits, 1));
}
#else
#if defined(__AVX2__)
inline V8 load(const std::uint64_t* p) {
    const auto* q = reinterpret_cast<const __m256i*>(p);
    return {_mm256_loadu_si256(q), _mm256_loadu_si256(q + 1)};
}
inline V8 both(V8 x, V8 y) { return {_mm256_and_si256(x.a, y.a), _mm256_and_si256(x.b, y.b)}; }
inline V8 without(V8 x, V8 y) {
    return {_mm256_andnot_si256(y.a, x.a), _mm256_andnot_si256(y.b, x.b)};
}
inline V8 either(V8 x, V8 y) { return {_mm256_or_si256(x.a, y.a), _mm256_or_si256(x.b, y.b)}; }
inline V8 exclusive(V8 x, V8 y) { return {_mm256_xor_si256(x.a, y.a), _mm256_xor_si256(x.b, y.b)}; }
inline bool empty(V8 x) {
    const __m256i any = _mm256_or_si256(x.a, x.b);
    return _mm256_testz_si256(any, any) != 0;
}
inline void spread(std::uint64_t bits, std::uint8_t* to) {
    for (int k = 0; k < 8; ++k) {
        const std::uint64_t bytes = _pdep_u64(bits >> (8 * k), 0x0101010101010101u);
        __builtin_memcpy(to + 8 * k, &bytes, 8);
    }
}
#else
inline V8 load(const std::uint64_t* p) {
    return each([&](int i) { return p[i]; });
}
inline V8 both(V8 a, V8 b) {
    return each([&](int i) { return a.v[i] & b.v[i]; });
}
inline V8 without(V8 a, V8 b) {
    return each([&](int i) { return a.v[i] & ~b.v[i]; });
}
inline V8 either(V8 a, V8 b) {
    return each([&](int i) { return a.v[i] | b.v[i]; });
}
inline V8 exclusive(V8 a, V8 b) {
    return each([&](int i) { return a.v[i] ^ b.v[i]; });
}
inline bool empty(V8 a) {
    std::uint64_t any = 0;
    for (int i = 0; i < 8; ++i) any |= a.v[i];
    return any == 0;
}
inline void spread(std::uint64_t bits, std::uint8_t* to) {
    for (int k = 0; k < 64; ++k) to[k] = static_cast<std::uint8_t>((bits >> k) & 1);
}
#endif
inline V8 or_both(V8 a, V8 b, V8 c) { return either(a, both(b, c)); }
inline V8 or_without(V8 a, V8 b, V8 c) { return either(a, without(b, c)); }
inline V8 equal_in(V8 a, V8 b, V8 c) { return without(a, exclusive(b, c)); }  // a, where b == c
#endif

// The planes of one step for 512 chains, four at a time.
class Planes {
  public:
    Planes(const Randomness& random, std::int64_t first_chain, std::int64_t first_step,
           std::int64_t chains)
        : keys_(random.seed),
          stream_(random.stream),
          words_(random.words),
          first_chain_(first_chain),
          first_step_(first_step),
          chains_(chains) {}

    void four(std::int64_t step, std::int64_t group, int block, V8 planes[4]) const {
        if (words_ == nullptr) {
            words_of_chains(keys_, stream_ + block, static_cast<std::uint64_t>(step),
                            static_cast<std::uint64_t>(first_chain_ / 32 + 16 * group), planes);
            return;
        }
        const std::uint32_t* word = words_ + (step - first_step_) * chains_;
        for (int k = 0; k < 4; ++k) {
            std::uint64_t bits[8] = {};
            for (std::int64_t c = 0; c < kGroup && group * kGroup + c < chains_; ++c) {
                const std::uint64_t bit = (word[group * kGroup + c] >> (31 - 4 * block - k)) & 1;
                bits[c / 64] |= bit << (c % 64);
            }
            planes[k] = load(bits);
        }
    }

  private:
    RoundKeys keys_;
    std::uint32_t stream_;
    const std::uint32_t* words_;
    std::int64_t first_chain_, first_step_, chains_;
};

// The new plane of a node's variable. `slots` has room for the masks of its vertices and leaves.
inline V8 sliced_update(const SlicedProgram& p, const SlicedNode& node, const Planes& random,
                        std::int64_t step, std::int64_t group, const std::uint64_t* x,
                        std::int64_t stride, V8* slots) {
    const V8 none = broadcast(0), all = broadcast(~std::uint64_t{0});
    for (std::int64_t s = 1; s < node.vertex_count + node.leaf_count; ++s) slots[s] = none;
    slots[0] = all;
    const std::int32_t* vertex = p.vertices + 3 * node.vertices;
    for (std::int64_t v = 0; v < node.vertex_count; ++v, vertex += 3) {
        const V8 code = load(x + vertex[0] * stride), here = slots[v];
        slots[vertex[1]] = or_without(slots[vertex[1]], here, code);
        slots[vertex[2]] = or_both(slots[vertex[2]], here, code);
    }
    const V8* leaf = slots + node.vertex_count;
    const std::uint64_t* bits = p.planes + node.planes;
    V8 undecided = all, below = none;
    for (int block = 0; block < 8; ++block) {
        V8 word[4];
        random.four(step, group, block, word);
        for (int k = 0; k < 4; ++k) {
            V8 threshold = none;
            for (std::int64_t l = 0; l < node.leaf_count; ++l)
                threshold = or_both(threshold, leaf[l], broadcast(*bits++));
            below = or_both(below, both(undecided, threshold), without(all, word[k]));
            undecided = equal_in(undecided, threshold, word[k]);
        }
        if (block >= 2 && empty(undecided)) return without(all, below);
    }
    // The word equals the threshold: state 1, except where the threshold means "never".
    const std::uint32_t* thresholds = p.thresholds + node.leaves;
    for (std::int64_t l = 0; l < node.leaf_count; ++l)
        if (thresholds[l] == kLargestWord) below = or_both(below, undecided, leaf[l]);
    return without(all, below);
}

// Groups [begin, end) of the call's chains; the state is [variable][group][8 words].
class SlicedRun {
  public:
    SlicedRun(const SlicedProgram& p, const Task& task, const Randomness& random, std::uint64_t* x,
              std::int64_t begin, std::int64_t end, std::uint64_t* scratch)
        : p_(p),
          task_(task),
          random_(random),
          planes_(random, task.first_chain, task.first_sweep * p.node_count, task.chains),
          x_(x),
          begin_(begin),
          end_(end),
          stride_((task.chains + kGroup - 1) / kGroup * 8),
          slots_(reinterpret_cast<V8*>(scratch)),
          old_(scratch + p.most_slots * 8),
          marks_(old_ + p.node_count * kGroups * 8) {}

    bool sweeps(std::int64_t first, std::int64_t count) {
        for (std::int64_t sweep = first; sweep < first + count; ++sweep) run_sweep(sweep);
        return true;
    }

    void record(std::uint8_t* out, std::int64_t row) const {
        for (std::int64_t i = 0; i < p_.variables; ++i)
            for (std::int64_t g = begin_; g < end_; ++g)
                unpack(x_ + i * stride_ + 8 * g, i, g, out, row);
    }

    // A chain recorded just before place J shows the new codes of the places before J, and the
    // old ones of the others.
    bool sweep_with_record(std::int64_t sweep, std::int64_t record_number, std::uint8_t* out,
                           std::int64_t row) {
        constexpr std::int64_t kWords = kGroups * 8;
        for (std::int64_t j = 0; j < p_.node_count; ++j)
            for (std::int64_t g = begin_; g < end_; ++g)
                __builtin_memcpy(old_ + j * kWords + 8 * (g - begin_),
                                 x_ + p_.nodes[j].variable * stride_ + 8 * g, 64);
        mark_places(record_number);
        record(out, row);  // the clamped ones, above all
        run_sweep(sweep);
        alignas(64) std::uint64_t later[kWords] = {}, plane[8];
        for (std::int64_t j = p_.node_count - 1; j >= 0; --j) {
            const std::int64_t i = p_.nodes[j].variable;
            for (std::int64_t g = begin_; g < end_; ++g) {
                const std::int64_t at = 8 * (g - begin_);
                const V8 chosen = load(later + at);
                store(plane, or_both(without(load(old_ + j * kWords + at), chosen), chosen,
                                     load(x_ + i * stride_ + 8 * g)));
                unpack(plane, i, g, out, row);
                store(later + at, either(chosen, load(marks_ + j * kWords + at)));
            }
        }
        return true;
    }

  private:
    void run_sweep(std::int64_t sweep) {
        for (std::int64_t j = 0; j < p_.node_count; ++j) {
            const SlicedNode& node = p_.nodes[j];
            for (std::int64_t g = begin_; g < end_; ++g)
                store(x_ + node.variable * stride_ + 8 * g,
                      sliced_update(p_, node, planes_, sweep * p_.node_count + j, g, x_ + 8 * g,
                                    stride_, slots_));
        }
    }

    void mark_places(std::int64_t record_index) {
        constexpr std::int64_t kWords = kGroups * 8;
        __builtin_memset(marks_, 0, p_.node_count * kWords * sizeof(std::uint64_t));
        const std::int64_t end = end_ * kGroup < task_.chains ? end_ * kGroup : task_.chains;
        const RoundKeys keys(random_.seed);
        for (std::int64_t first = begin_ * kGroup; first < end; first += 16) {
            alignas(64) std::uint32_t word[16] = {};
            const std::int64_t chains = end - first < 16 ? end - first : 16;
            if (random_.place_words) {
                const std::int64_t r = record_index - task_.first_record;
                __builtin_memcpy(word, random_.place_words + r * task_.chains + first,
                                 chains * sizeof(std::uint32_t));
            } else {
                V8 four[4];
                words_of_chains(keys, random_.place_stream,
                                static_cast<std::uint64_t>(record_index) / 4,
                                static_cast<std::uint64_t>(task_.first_chain + first), four);
                store(word, four[record_index % 4]);
            }
            const std::int64_t at = first - begin_ * kGroup;
            for (std::int64_t c = 0; c < chains; ++c)
                marks_[place_of(word[c], p_.node_count) * kWords + at / 64] |= std::uint64_t{1}
                                                                               << (at % 64 + c);
        }
    }

    void unpack(const std::uint64_t* plane, std::int64_t variable, std::int64_t group,
                std::uint8_t* out, std::int64_t row) const {
        std::uint8_t* to = out + variable * task_.out_stride + row + group * kGroup;
        for (int k = 0; k < 8; ++k, to += 64) {
            const std::int64_t left = task_.chains - group * kGroup - 64 * k;
            if (left <= 0) return;
            if (left >= 64) {
                spread(plane[k], to);
            } else {
                std::uint8_t bytes[64];
                spread(plane[k], bytes);
                __builtin_memcpy(to, bytes, left);
            }
        }
    }

    const SlicedProgram& p_;
    const Task& task_;
    const Randomness& random_;
    Planes planes_;
    std::uint64_t* x_;
    std::int64_t begin_, end_, stride_;
    V8* slots_;
    std::uint64_t *old_, *marks_;
};

inline void run_sliced(const SlicedProgram& p, const Task& task, const Randomness& random,
                       std::uint64_t* state, std::uint64_t* scratch, std::uint8_t* out) {
    const std::int64_t groups = (task.chains + kGroup - 1) / kGroup;
    for (std::int64_t begin = 0; begin < groups; begin += kGroups) {
        const std::int64_t end = begin + kGroups < groups ? begin + kGroups : groups;
        SlicedRun run(p, task, random, state, begin, end, scratch);
        run_task(run, task, task.at_boundary, out);
    }
}

}  // namespace depnet::sampler::DEPNET_ISA_NAMESPACE
