// The kernels of learner_kernels.hpp for one instruction set, whose translation unit includes this:
// vectors by the compilers' own extension, and by name what a set has an instruction for.
#pragma once

#include "learner_positions.hpp"

namespace depnet::DEPNET_ISA_NAMESPACE {

inline Bits add_popcount(Bits sums, Bits a, Bits b) {
    Bits x = a & b;
#if defined(__AVX512VPOPCNTDQ__)
    return sums + (Bits)_mm512_popcnt_epi64((__m512i)x);
#else
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    x += x >> 8;
    x += x >> 16;
    return sums + ((x + (x >> 32)) & 255);
#endif
}

inline std::uint32_t total(Bits sums) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < kWords; ++i) all += sums[i];
    return static_cast<std::uint32_t>(all);
}

template <std::size_t... kPlace>
inline Doubles look_up(const double* table, Counts x, std::index_sequence<kPlace...>) {
    return Doubles{table[x[kPlace]]...};
}

inline Doubles look_up(const double* table, Counts x) {
    return look_up(table, x, std::make_index_sequence<kWords>{});
}

// Counts are below 2^31: as signed numbers they are converted at once.
inline Doubles to_doubles(Counts x) {
    using Ints = std::int32_t __attribute__((vector_size(4 * kWords)));
    return __builtin_convertvector((Ints)x, Doubles);
}
inline Floats to_floats(WideCounts x) { return __builtin_convertvector((WideInts)x, Floats); }

// One bit for each number of a comparison.
template <typename Comparison>
inline unsigned bits_of(const Comparison& holds) {
    constexpr std::size_t kNumbers = sizeof(Comparison) / sizeof(holds[0]);
#if defined(__AVX512F__)
    if constexpr (kNumbers == 16) return _mm512_movepi32_mask((__m512i)holds);
    if constexpr (kNumbers == 8) return _mm512_movepi64_mask((__m512i)holds);
#endif
    unsigned bits = 0;
    for (std::size_t i = 0; i < kNumbers; ++i) bits |= static_cast<unsigned>(holds[i] & 1) << i;
    return bits;
}

template <int kA, int kB>
void popcount_block(const std::uint64_t* a, std::size_t a_stride, const std::uint64_t* b,
                    std::size_t b_stride, std::size_t words, std::uint32_t* out,
                    std::size_t out_stride) {
    Bits sums[kA][kB];
    for (auto& row : sums)
        for (auto& sum : row) sum = Bits{};
    for (std::size_t w = 0; w < words; w += kWords) {
        Bits left[kA];
        for (int i = 0; i < kA; ++i) left[i] = load<Bits>(a + i * a_stride + w);
        for (int j = 0; j < kB; ++j) {
            const Bits right = load<Bits>(b + j * b_stride + w);
            for (int i = 0; i < kA; ++i) sums[i][j] = add_popcount(sums[i][j], left[i], right);
        }
    }
    for (int i = 0; i < kA; ++i)
        for (int j = 0; j < kB; ++j) out[i * out_stride + j] += total(sums[i][j]);
}

template <int kA>
void popcount_rows(const std::uint64_t* a, std::size_t a_stride, const std::uint64_t* b,
                   std::size_t b_stride, std::size_t b_rows, std::size_t words, std::uint32_t* out,
                   std::size_t out_stride) {
    std::size_t j = 0;
    for (; j + 4 <= b_rows; j += 4)
        popcount_block<kA, 4>(a, a_stride, b + j * b_stride, b_stride, words, out + j, out_stride);
    for (; j < b_rows; ++j)
        popcount_block<kA, 1>(a, a_stride, b + j * b_stride, b_stride, words, out + j, out_stride);
}

void popcount_product(const std::uint64_t* a, std::size_t a_stride, std::size_t a_rows,
                      const std::uint64_t* b, std::size_t b_stride, std::size_t b_rows,
                      std::size_t words, std::uint32_t* out, std::size_t out_stride) {
    std::size_t i = 0;
    for (; i + 4 <= a_rows; i += 4)
        popcount_rows<4>(a + i * a_stride, a_stride, b, b_stride, b_rows, words,
                         out + i * out_stride, out_stride);
    for (; i + 2 <= a_rows; i += 2)
        popcount_rows<2>(a + i * a_stride, a_stride, b, b_stride, b_rows, words,
                         out + i * out_stride, out_stride);
    for (; i < a_rows; ++i)
        popcount_rows<1>(a + i * a_stride, a_stride, b, b_stride, b_rows, words,
                         out + i * out_stride, out_stride);
}

inline double entropy_at(const double* table, const std::uint32_t* counts, std::size_t stride,
                         std::size_t states, const std::uint32_t* base, std::size_t c) {
    std::uint32_t all = 0;
    double inside = 0.0;
    for (std::size_t s = 0; s < states; ++s) {
        const std::uint32_t count = base[s] + counts[s * stride + c];
        all += count;
        inside += table[count];
    }
    return table[all] - inside;
}

void entropies(const double* table, const std::uint32_t* counts, std::size_t stride,
               std::size_t states, const std::uint32_t* base, std::size_t columns, double* out) {
    std::size_t c = 0;
    for (; c + kWords <= columns; c += kWords) {
        Counts all = Counts{};
        Doubles inside = Doubles{};
        for (std::size_t s = 0; s < states; ++s) {
            const Counts count = load<Counts>(counts + s * stride + c) + base[s];
            all += count;
            inside += look_up(table, count);
        }
        store(out + c, look_up(table, all) - inside);
    }
    for (; c < columns; ++c) out[c] = entropy_at(table, counts, stride, states, base, c);
}

inline double chi_term_at(const std::uint32_t* counts, std::size_t stride, std::size_t states,
                          const double* weight, std::size_t c) {
    double all = 1e-300, squares = 0.0;
    for (std::size_t s = 0; s < states; ++s) {
        const double count = counts[s * stride + c];
        all += count;
        squares += count * count * weight[s];
    }
    return squares / all;
}

void chi_terms(const std::uint32_t* counts, std::size_t stride, std::size_t states,
               const double* weight, std::size_t columns, double* out) {
    std::size_t c = 0;
    for (; c + kWords <= columns; c += kWords) {
        Doubles all = Doubles{} + 1e-300, squares = Doubles{};
        for (std::size_t s = 0; s < states; ++s) {
            const Doubles count = to_doubles(load<Counts>(counts + s * stride + c));
            all += count;
            squares += count * count * weight[s];
        }
        store(out + c, squares / all);
    }
    for (; c < columns; ++c) out[c] = chi_term_at(counts, stride, states, weight, c);
}

// A split takes away at most n phi^2 nats of a leaf of n rows, where phi^2 = chi^2 / n of the 2 x 2
// table: the divergence of two distributions is at most log(1 + chi^2). That needs no look-up, so
// most variables are turned away before their entropy is computed; the slacks are far above all
// rounding.
constexpr double kSlack = 1e-12;

// The places of the bits that are set, counted from `first`. May write 16 numbers.
inline std::size_t list(unsigned bits, std::size_t first, std::uint32_t* out) {
#if defined(__AVX512F__)
    const __m512i places =
        _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), places));
    return static_cast<std::size_t>(__builtin_popcount(bits));
#else
    std::size_t found = 0;
    for (; bits; bits &= bits - 1)
        out[found++] =
            static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(__builtin_ctz(bits));
    return found;
#endif
}

// The variables begin .. end - 1 that may have Delta below `least`, ascending; all have one price.
inline std::size_t list_worth(const std::uint32_t* one_a, const std::uint32_t* one_b,
                              std::size_t begin, std::size_t end, std::uint32_t all_a,
                              std::uint32_t all_b, double total, double least, std::uint32_t* out) {
    // n phi^2 / N = (a1 all_b - b1 all_a)^2 / (n1 n0) * scale, where n1 = a1 + b1 and n0 = n - n1.
    // Worth a look if that is above price - least: without dividing, against (price - least) n1 n0.
    // An empty side gains nothing: 0 is not above 0.
    const double all = static_cast<double>(all_a) + all_b;
    const double scale = all / (static_cast<double>(all_a) * all_b) / total;
    const double wanted = -(least + kSlack);
    std::size_t v = begin, found = 0;
    if (all_a > 0 && all_b > 0) {
        if (all < 65536)  // the excess fits 31 bits
            for (; v + kWide <= end; v += kWide) {
                const auto a1 = load<WideCounts>(one_a + v), b1 = load<WideCounts>(one_b + v);
                const WideCounts n1 = a1 + b1, n0 = (all_a + all_b) - n1;
                const Floats excess = to_floats(a1 * all_b - b1 * all_a);
                const Floats gain = excess * excess * static_cast<float>(scale * (1 + 1e-4));
                const Floats size = to_floats(n1) * to_floats(n0);
                found += list(bits_of(gain > size * static_cast<float>(wanted)), v, out + found);
            }
        for (; v + kWords <= end; v += kWords) {
            const Doubles a1 = to_doubles(load<Counts>(one_a + v));
            const Doubles b1 = to_doubles(load<Counts>(one_b + v));
            const Doubles n1 = a1 + b1;
            const Doubles n0 = all - n1;
            const Doubles excess = a1 * double(all_b) - b1 * double(all_a);
            const Doubles gain = excess * excess * (scale * (1 + 1e-9));
            found += list(bits_of(gain > wanted * (n1 * n0)), v, out + found);
        }
    }
    for (; v < end; ++v) out[found++] = static_cast<std::uint32_t>(v);
    return found;
}

void best_binary_split(const double* table, const std::uint32_t* ones, std::size_t stride,
                       const std::uint32_t* states, double entropy, double total,
                       double least_price, const double* price, std::size_t variables,
                       double* delta, std::int32_t* variable) {
    constexpr std::size_t kBlock = 512;  // after which `least` is taken into account
    std::uint32_t worth[kBlock + 16];
    const std::uint32_t *one_a = ones, *one_b = ones + stride;
    double least = *delta;
    std::int32_t at = *variable;
    for (std::size_t begin = 0; begin < variables; begin += kBlock) {
        const std::size_t found =
            list_worth(one_a, one_b, begin, begin + kBlock < variables ? begin + kBlock : variables,
                       states[0], states[1], total, least - least_price, worth);
        // Look-ups one by one: a vector's gather takes longer on many processors.
        for (std::size_t i = 0; i < found; ++i) {
            const std::uint32_t v = worth[i], a1 = one_a[v], b1 = one_b[v];
            const std::uint32_t a0 = states[0] - a1, b0 = states[1] - b1;
            const double leaf0 = table[a0 + b0] - (table[a0] + table[b0]);
            const double leaf1 = table[a1 + b1] - (table[a1] + table[b1]);
            const double candidate = ((leaf0 + leaf1) - entropy) / total + price[v];
            if (candidate < least) {
                least = candidate;
                at = static_cast<std::int32_t>(v);
            }
        }
    }
    *delta = least;
    *variable = at;
}

inline std::size_t list_bits_of(std::uint64_t word, std::uint32_t first, std::uint32_t* out) {
    std::size_t found = 0;
    for (; word; word &= word - 1)
        out[found++] = first + static_cast<std::uint32_t>(__builtin_ctzll(word));
    return found;
}

// One bit for each of at most 64 codes: whether it is `value`.
inline std::uint64_t equal_bits(const std::uint8_t* codes, std::size_t count, std::uint8_t value) {
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < count; ++b)
        word |= static_cast<std::uint64_t>(codes[b] == value) << b;
    return word;
}

inline void partition_some(const std::uint32_t* rows, std::size_t chosen,
                           const std::uint32_t* words, std::uint32_t step, std::uint32_t offset,
                           std::uint32_t shift, bool one_bit_a_row, std::uint32_t* zeros,
                           std::uint32_t* ones) {
    for (std::size_t i = 0; i < chosen; ++i) {
        const std::uint32_t row = rows[i];
        const std::uint32_t bit =
            one_bit_a_row ? (words[row / 32] >> (row % 32)) & 1
                          : (words[static_cast<std::size_t>(row) * step + offset] >> shift) & 1;
        if (bit)
            *ones++ = row;
        else
            *zeros++ = row;
    }
}

void pack_equal(const std::uint8_t* codes, std::size_t rows, std::uint8_t value,
                std::uint64_t* out) {
    std::size_t r = 0;
    for (; r + 64 <= rows; r += 64) {
#if defined(__AVX512F__)
        out[r / 64] = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(codes + r),
                                             _mm512_set1_epi8(static_cast<char>(value)));
#else
        out[r / 64] = equal_bits(codes + r, 64, value);
#endif
    }
    if (r < rows) out[r / 64] = equal_bits(codes + r, rows - r, value);
}

#if defined(__AVX512F__)

// Writes the chosen ones of 16 numbers, and nothing behind them.
inline std::uint32_t* write_some(std::uint32_t* out, __mmask16 chosen, __m512i numbers) {
    const auto count = static_cast<unsigned>(__builtin_popcount(chosen));
    _mm512_mask_storeu_epi32(out, static_cast<__mmask16>((1u << count) - 1),
                             _mm512_maskz_compress_epi32(chosen, numbers));
    return out + count;
}

std::size_t list_bits(const std::uint64_t* a, const std::uint64_t* b, std::size_t words,
                      std::uint32_t* out) {
    const std::uint32_t* begin = out;
    const __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (std::size_t block = 0; block < words; block += 8) {
        const __mmask8 any =
            _mm512_test_epi64_mask(_mm512_loadu_si512(a + block), _mm512_loadu_si512(b + block));
        for (unsigned left = any; left; left &= left - 1) {
            const std::size_t w = block + static_cast<unsigned>(__builtin_ctz(left));
            const std::uint64_t word = a[w] & b[w];
            if (__builtin_popcountll(word) <= 6) {
                out += list_bits_of(word, static_cast<std::uint32_t>(w * 64), out);
                continue;
            }
            for (int i = 0; i < 64; i += 16)
                out = write_some(
                    out, static_cast<__mmask16>(word >> i),
                    _mm512_add_epi32(places, _mm512_set1_epi32(static_cast<int>(w * 64) + i)));
        }
    }
    return static_cast<std::size_t>(out - begin);
}

void partition(const std::uint32_t* rows, std::size_t chosen, const std::uint32_t* words,
               std::uint32_t step, std::uint32_t offset, std::uint32_t shift, bool one_bit_a_row,
               std::uint32_t* zeros, std::uint32_t* ones) {
    std::size_t i = 0;
    const __m512i one = _mm512_set1_epi32(1);
    for (; i + 16 <= chosen; i += 16) {
        const __m512i row = _mm512_loadu_si512(rows + i);
        __m512i at, bit;
        if (one_bit_a_row) {
            at = _mm512_srli_epi32(row, 5);
            bit = _mm512_sllv_epi32(one, _mm512_and_si512(row, _mm512_set1_epi32(31)));
        } else {
            at =
                _mm512_add_epi32(_mm512_mullo_epi32(row, _mm512_set1_epi32(static_cast<int>(step))),
                                 _mm512_set1_epi32(static_cast<int>(offset)));
            bit = _mm512_sllv_epi32(one, _mm512_set1_epi32(static_cast<int>(shift)));
        }
        const __mmask16 set = _mm512_test_epi32_mask(_mm512_i32gather_epi32(at, words, 4), bit);
        ones = write_some(ones, set, row);
        zeros = write_some(zeros, static_cast<__mmask16>(~set), row);
    }
    partition_some(rows + i, chosen - i, words, step, offset, shift, one_bit_a_row, zeros, ones);
}

#else  // lists of rows one by one, where a vector cannot be compressed

std::size_t list_bits(const std::uint64_t* a, const std::uint64_t* b, std::size_t words,
                      std::uint32_t* out) {
    std::size_t found = 0;
    for (std::size_t w = 0; w < words; ++w)
        found += list_bits_of(a[w] & b[w], static_cast<std::uint32_t>(w * 64), out + found);
    return found;
}

void partition(const std::uint32_t* rows, std::size_t chosen, const std::uint32_t* words,
               std::uint32_t step, std::uint32_t offset, std::uint32_t shift, bool one_bit_a_row,
               std::uint32_t* zeros, std::uint32_t* ones) {
    partition_some(rows, chosen, words, step, offset, shift, one_bit_a_row, zeros, ones);
}

#endif

const LearnerKernels& kernels() {
#if defined(__AVX512F__)
    constexpr std::size_t partitions = 3;
#else
    constexpr std::size_t partitions = 1;
#endif
    static const LearnerKernels all{pack_equal, popcount_product, positional_popcount,
                                    entropies,  chi_terms,        best_binary_split,
                                    list_bits,  partition,        partitions};
    return all;
}

}  // namespace depnet::DEPNET_ISA_NAMESPACE
