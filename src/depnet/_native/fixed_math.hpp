// exp and log with the same bits on every machine: additions, multiplications and divisions of
// doubles in a fixed order, no fused operations and no library whose last bit is its own. Each is
// within some 2^-50 of the truth. Loops over them are vectorised. They are internal to each unit:
// units are compiled for different instruction sets. Slow twin: tests/reference/boosting.py.
#pragma once

#include <bit>
#include <cstdint>

namespace depnet::fixed {

constexpr double kLeastExponent = -700.0;  // below, exp is that of this: never 0
constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLn2High = 0x1.62e42fefa0000p-1, kLn2Low = 0x1.cf79abc9e3b3ap-40;
constexpr double kRounder = 0x1.8p+52;  // added and taken away again, it rounds to whole numbers

// first x^n + ... + last for n further coefficients: Horner's scheme, written out when compiled.
template <typename Number, typename... Numbers>
static inline Number polynomial(Number x, Number first, Numbers... rest) {
    ((first = first * x + rest), ...);
    return first;
}

// exp(x) for x <= 700: x = k log 2 + r with |r| <= log(2) / 2, the series of exp(r), times 2^k.
static inline double exp(double x) {
    const double bounded = x < kLeastExponent ? kLeastExponent : x;
    const double shifted = bounded * kLog2E + kRounder;
    const double k = shifted - kRounder;
    const double r = (bounded - k * kLn2High) - k * kLn2Low;
    const double sum = polynomial(r, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0,
                                  1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0,
                                  1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0);
    // The low bits of `shifted` are k: shifted up they are added to the exponent of the sum.
    const std::int64_t power = std::bit_cast<std::int64_t>(shifted) << 52;
    return std::bit_cast<double>(std::bit_cast<std::int64_t>(sum) + power);
}

// exp(x) to some 2^-22, for what is rounded anyway: x is bounded to [-60, 60] first.
static inline float quick_exp(float x) {
    const float bounded = x < -60.0f ? -60.0f : x > 60.0f ? 60.0f : x;
    const float shifted = bounded * 0x1.715476p+0f + 0x1.8p+23f;
    const float k = shifted - 0x1.8p+23f;
    const float r = (bounded - k * 0x1.62e400p-1f) - k * 0x1.7f7d1cp-20f;
    const float sum =
        polynomial(r, 1.0f / 720.0f, 1.0f / 120.0f, 1.0f / 24.0f, 1.0f / 6.0f, 0.5f, 1.0f, 1.0f);
    const std::int32_t power = std::bit_cast<std::int32_t>(shifted) << 23;
    return std::bit_cast<float>(std::bit_cast<std::int32_t>(sum) + power);
}

// log(x) for normal x > 0: x = 2^k m with m near 1, and log m = 2 atanh((m - 1) / (m + 1)).
static inline double log(double x) {
    const std::int64_t bits = std::bit_cast<std::int64_t>(x);
    const std::int64_t k = (bits - 0x3fe6a09e667f3bcd) >> 52;  // m from sqrt(1/2) to sqrt(2)
    const double m = std::bit_cast<double>(bits - (k << 52));
    const double s = (m - 1.0) / (m + 1.0), q = s * s;
    const double sum =
        polynomial(q, 1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0,
                   1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0);
    const double whole = static_cast<double>(k);
    return (2.0 * s + 2.0 * s * q * sum + whole * kLn2Low) + whole * kLn2High;
}

}  // namespace depnet::fixed
