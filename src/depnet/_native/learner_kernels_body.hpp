// The kernels written once over a vector type `Vec`, which each instruction set defines before it
// includes this file inside an unnamed namespace: nothing here may be shared between translation
// units. What a set has instructions of its own for, it defines behind the include.

void pack_equal(const std::uint8_t* codes, std::size_t rows, std::uint8_t value,
                std::uint64_t* out);
std::size_t list_bits(const std::uint64_t* a, const std::uint64_t* b, std::size_t words,
                      std::uint32_t* out);
void partition(const std::uint32_t* rows, std::size_t chosen, const std::uint32_t* words,
               std::uint32_t step, std::uint32_t offset, std::uint32_t shift, bool one_bit_a_row,
               std::uint32_t* zeros, std::uint32_t* ones);

// A full adder of bit strings: `sum` keeps the ones, the carry is returned.
inline Vec::Bits add(Vec::Bits& sum, Vec::Bits a, Vec::Bits b) {
    const Vec::Bits carry = Vec::majority(sum, a, b);
    sum = Vec::odd(sum, a, b);
    return carry;
}

// Counts every bit position of a stream of vectors: a counter is a column of bits, one vector a
// binary digit. Digit d takes carries two at a time; the odd one waits.
struct Positions {
    // Adds the digits of 64 counters; those of words `fold` apart are of the same counters.
    static void spread(const std::uint64_t* words, std::size_t fold, int digits,
                       std::uint32_t* counts) {
#if defined(__AVX512F__)
        Vec::spread_digits(words, fold, digits, counts);
#else
        for (std::size_t w = 0; w < Vec::kWords; w += fold)
            for (int d = 0; d < digits; ++d)
                if (const std::uint64_t word = words[d * Vec::kWords + w])
                    Vec::spread_digit(word, d, counts);
#endif
    }

    static constexpr int kDigits = 36;
    Vec::Bits digit[kDigits];
    Vec::Bits waiting[kDigits];
    bool waits[kDigits];
    int used = 3;

    Positions() {
        for (int d = 0; d < 3; ++d) digit[d] = Vec::zero();
        for (int d = 0; d < kDigits; ++d) waits[d] = false;
    }

    void add_eight(const Vec::Bits* v) {
        const Vec::Bits twos_a = add(digit[0], v[0], v[1]);
        const Vec::Bits twos_b = add(digit[0], v[2], v[3]);
        const Vec::Bits fours_a = add(digit[1], twos_a, twos_b);
        const Vec::Bits twos_c = add(digit[0], v[4], v[5]);
        const Vec::Bits twos_d = add(digit[0], v[6], v[7]);
        const Vec::Bits fours_b = add(digit[1], twos_c, twos_d);
        Vec::Bits carry = add(digit[2], fours_a, fours_b);
        int d = 3;
        for (; d < used && waits[d]; ++d) {
            waits[d] = false;
            carry = add(digit[d], waiting[d], carry);
        }
        if (d == used) {
            digit[d] = Vec::zero();
            ++used;
        }
        waits[d] = true;
        waiting[d] = carry;
    }

    // Adds the counters to `counts`; the words of a vector are `fold` words repeated.
    void finish(std::uint32_t* counts, std::size_t fold) {
        // The carries that wait are added first, so that each digit is spread once.
        Vec::Bits carry = Vec::zero();
        for (int d = 3; d < used; ++d) {
            if (!waits[d]) waiting[d] = Vec::zero();
            carry = add(digit[d], waiting[d], carry);
        }
        digit[used++] = carry;
        std::uint64_t words[kDigits * Vec::kWords];
        for (int d = 0; d < used; ++d) Vec::store(words + d * Vec::kWords, digit[d]);
        for (std::size_t w = 0; w < fold; ++w) spread(words + w, fold, used, counts + w * 64);
    }
};

template <typename Fetch>
inline void count_vectors(Positions& positions, std::size_t vectors, Fetch&& fetch) {
    Vec::Bits v[8];
    std::size_t at = 0;
    for (; at + 8 <= vectors; at += 8) {
        for (int i = 0; i < 8; ++i) v[i] = fetch(at + i);
        positions.add_eight(v);
    }
    if (at == vectors) return;
    for (int i = 0; i < 8; ++i) v[i] = at + i < vectors ? fetch(at + i) : Vec::zero();
    positions.add_eight(v);
}

// Rows narrower than a vector, several in one.
template <std::size_t kRowWords>
void count_narrow(const std::uint64_t* bits, const std::uint32_t* rows, std::size_t chosen,
                  std::uint32_t* counts) {
    constexpr std::size_t kTogether = Vec::kWords / kRowWords;
    Positions positions;
    const std::size_t whole = chosen / kTogether;
    const auto row = [=](std::size_t i) { return bits + (rows ? rows[i] : i) * kRowWords; };
    std::uint64_t rest[Vec::kWords] = {};  // what does not fill a vector
    for (std::size_t i = whole * kTogether, w = 0; i < chosen; ++i, w += kRowWords)
        for (std::size_t k = 0; k < kRowWords; ++k) rest[w + k] = row(i)[k];
    const std::size_t vectors = whole + (whole * kTogether < chosen ? 1 : 0);
    if (rows == nullptr)
        count_vectors(positions, vectors, [=, &rest](std::size_t at) {
            return Vec::load(at < whole ? bits + at * Vec::kWords : rest);
        });
    else
        count_vectors(positions, vectors, [=, &rest](std::size_t at) {
            return at < whole ? Vec::template gather<kRowWords>(bits, rows + at * kTogether)
                              : Vec::load(rest);
        });
    positions.finish(counts, kRowWords);
}

// Rows of one or more whole vectors.
inline void count_wide(const std::uint64_t* bits, std::size_t words, const std::uint32_t* rows,
                       std::size_t chosen, std::uint32_t* counts) {
    for (std::size_t block = 0; block < words; block += Vec::kWords) {
        Positions positions;
        const std::uint64_t* from = bits + block;
        if (rows == nullptr)
            count_vectors(positions, chosen,
                          [=](std::size_t at) { return Vec::load(from + at * words); });
        else
            count_vectors(positions, chosen, [=](std::size_t at) {
                if (at + 24 < chosen) __builtin_prefetch(from + rows[at + 24] * words);
                return Vec::load(from + rows[at] * words);
            });
        positions.finish(counts + block * 64, Vec::kWords);
    }
}

void positional_popcount(const std::uint64_t* bits, std::size_t words, const std::uint32_t* rows,
                         std::size_t chosen, std::uint32_t* counts) {
    for (std::size_t b = 0; b < words * 64; ++b) counts[b] = 0;
    if (words >= Vec::kWords) return count_wide(bits, words, rows, chosen, counts);
    if constexpr (Vec::kWords > 1)
        if (words == 1) return count_narrow<1>(bits, rows, chosen, counts);
    if constexpr (Vec::kWords > 2)
        if (words == 2) return count_narrow<2>(bits, rows, chosen, counts);
    if constexpr (Vec::kWords > 4)
        if (words == 4) return count_narrow<4>(bits, rows, chosen, counts);
}

template <int kA, int kB>
void popcount_block(const std::uint64_t* a, std::size_t a_stride, const std::uint64_t* b,
                    std::size_t b_stride, std::size_t words, std::uint32_t* out,
                    std::size_t out_stride) {
    Vec::Sums sums[kA][kB];
    for (auto& row : sums)
        for (auto& sum : row) sum = Vec::no_sums();
    for (std::size_t w = 0; w < words; w += Vec::kWords) {
        Vec::Bits left[kA];
        for (int i = 0; i < kA; ++i) left[i] = Vec::load(a + i * a_stride + w);
        for (int j = 0; j < kB; ++j) {
            const Vec::Bits right = Vec::load(b + j * b_stride + w);
            for (int i = 0; i < kA; ++i) sums[i][j] = Vec::add_popcount(sums[i][j], left[i], right);
        }
    }
    for (int i = 0; i < kA; ++i)
        for (int j = 0; j < kB; ++j) out[i * out_stride + j] += Vec::total(sums[i][j]);
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
    for (; c + Vec::kDoubles <= columns; c += Vec::kDoubles) {
        Vec::Counts all = Vec::same(0);
        Vec::Doubles inside = Vec::doubles(0.0);
        for (std::size_t s = 0; s < states; ++s) {
            const Vec::Counts count =
                Vec::plus(Vec::same(base[s]), Vec::counts(counts + s * stride + c));
            all = Vec::plus(all, count);
            inside += Vec::look_up(table, count);
        }
        Vec::store(out + c, Vec::look_up(table, all) - inside);
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
    for (; c + Vec::kDoubles <= columns; c += Vec::kDoubles) {
        Vec::Doubles all = Vec::doubles(1e-300), squares = Vec::doubles(0.0);
        for (std::size_t s = 0; s < states; ++s) {
            const Vec::Doubles count = Vec::to_doubles(Vec::counts(counts + s * stride + c));
            all += count;
            squares += count * count * Vec::doubles(weight[s]);
        }
        Vec::store(out + c, squares / all);
    }
    for (; c < columns; ++c) out[c] = chi_term_at(counts, stride, states, weight, c);
}

// A split takes away at most n phi^2 nats of a leaf of n rows, where phi^2 = chi^2 / n of the 2 x 2
// table: the divergence of two distributions is at most log(1 + chi^2). That needs no look-up, so
// most variables are turned away before their entropy is computed; the slacks are far above all
// rounding.
constexpr double kSlack = 1e-12;

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
            for (; v + Vec::kWide <= end; v += Vec::kWide)
                found += Vec::list(
                    Vec::worth(one_a + v, one_b + v, all_a, all_b,
                               static_cast<float>(scale * (1 + 1e-4)), static_cast<float>(wanted)),
                    static_cast<std::uint32_t>(v), out + found);
        for (; v + Vec::kDoubles <= end; v += Vec::kDoubles) {
            const Vec::Doubles a1 = Vec::to_doubles(Vec::counts(one_a + v));
            const Vec::Doubles b1 = Vec::to_doubles(Vec::counts(one_b + v));
            const Vec::Doubles n1 = a1 + b1;
            const Vec::Doubles n0 = Vec::doubles(all) - n1;
            const Vec::Doubles excess = a1 * Vec::doubles(all_b) - b1 * Vec::doubles(all_a);
            const Vec::Doubles gain = excess * excess * Vec::doubles(scale * (1 + 1e-9));
            found += Vec::list(Vec::above(gain, Vec::doubles(wanted) * (n1 * n0)),
                               static_cast<std::uint32_t>(v), out + found);
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

std::size_t list_bits_of(std::uint64_t word, std::uint32_t first, std::uint32_t* out) {
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

#if !defined(__AVX512F__)  // lists of rows one by one, where a vector cannot be compressed

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

// All kernels, with their costs on this instruction set.
LearnerKernels kernels_of(double product_cost, double position_cost, std::size_t partitions) {
    return {pack_equal,   popcount_product,  positional_popcount, entropies,
            chi_terms,    best_binary_split, list_bits,           partition,
            product_cost, position_cost,     partitions};
}
