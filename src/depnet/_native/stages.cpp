// Boosted nodes from Python: the scores of their stages for the rows of a table, and theta.

#include <vector>

#include "arrays.hpp"
#include "fixed_math.hpp"
#include "isa.hpp"
#include "stages_by_state.hpp"
#include "stages_kernels.hpp"

namespace depnet::stages {
namespace {

template <typename Code>
void add_tile(const View& view, const Code* codes, std::size_t stride, std::size_t rows,
              std::uint64_t* masks, std::int32_t* scores) {
    DEPNET_DISPATCH(add_scores(view, codes, stride, rows, masks, scores))
}
void theta_of(const std::int32_t* scores, std::size_t states,
              double* theta){DEPNET_DISPATCH(probabilities(scores, states, theta))}

View view_of(In1<std::int32_t> variable, In1<std::uint16_t> low, In1<std::uint16_t> high,
             In1<std::int32_t> begin, In1<std::uint16_t> leaf, In1<std::int32_t> test,
             const std::vector<std::int32_t>& scores, std::size_t states) {
    return {variable.shape(0), variable.data(), low.data(),  high.data(),   begin.shape(0) - 1,
            begin.data(),      leaf.data(),     test.data(), scores.data(), states};
}

template <typename Code>
void scores_of(In1<std::int32_t> variable, In1<std::uint16_t> low, In1<std::uint16_t> high,
               In1<std::int32_t> begin, In1<std::uint16_t> leaf, In1<std::int32_t> test,
               In2<std::int32_t> scores, Codes<Code> codes, Out2<std::int32_t> out) {
    nb::gil_scoped_release release;
    const std::size_t rows = codes.shape(0), states = scores.shape(1);
    const auto turned = by_state(begin.data(), begin.shape(0) - 1, scores.data(), states);
    const View view = view_of(variable, low, high, begin, leaf, test, turned, states);
    std::vector<std::uint64_t> masks(view.tests + 1);
    std::vector<std::int32_t> tile(states * kRows);
    for (std::size_t first = 0; first < rows; first += kRows) {
        const std::size_t count = rows - first < kRows ? rows - first : kRows;
        std::int32_t* at = out.data() + first * states;
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t x = 0; x < states; ++x) tile[x * kRows + r] = at[r * states + x];
        add_tile(view, codes.data() + first, rows, count, masks.data(), tile.data());
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t x = 0; x < states; ++x) at[r * states + x] = tile[x * kRows + r];
    }
}

void probabilities_of(In2<std::int32_t> scores, Out2<double> out) {
    nb::gil_scoped_release release;
    const std::size_t rows = scores.shape(0), states = scores.shape(1);
    std::vector<std::int32_t> tile(states * kRows);
    std::vector<double> theta(states * kRows);
    for (std::size_t first = 0; first < rows; first += kRows) {
        const std::size_t count = rows - first < kRows ? rows - first : kRows;
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t x = 0; x < states; ++x)
                tile[x * kRows + r] = scores.data()[(first + r) * states + x];
        theta_of(tile.data(), states, theta.data());
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t x = 0; x < states; ++x)
                out.data()[(first + r) * states + x] = theta[x * kRows + r];
    }
}

}  // namespace
}  // namespace depnet::stages

NB_MODULE(stages, m) {
    using namespace depnet;
    using namespace depnet::stages;
    using nb::arg;
    m.def(
        "add_scores", &scores_of<std::uint8_t>, arg("variable"), arg("low"), arg("high"),
        arg("begin"), arg("leaf"), arg("test"), arg("scores"), arg("codes").noconvert(),
        arg("out").noconvert(),
        R"(Add the scores of all stages to `out` ([N, states]) for every row of `codes` ([N, n], column-major).

Test d is `low[d]` <= x <= `high[d]` of `variable[d]`. Stage m has the splits t from `begin[m]` to `begin[m + 1]` - 1: the rows of
leaf `leaf[t]` that pass `test[t]` go to a new leaf. `scores` is [leaf, state], all leaves of the stages one after the other.)");
    m.def("add_scores", &scores_of<std::uint16_t>, arg("variable"), arg("low"), arg("high"),
          arg("begin"), arg("leaf"), arg("test"), arg("scores"), arg("codes").noconvert(),
          arg("out").noconvert());
    m.def("probabilities", &probabilities_of, arg("scores"), arg("out").noconvert(),
          "theta of scores ([N, states], in multiples of 2^-20), into `out`.");
    m.def("exp", &fixed::exp, arg("x"),
          "exp(x), for x <= 700, with the same bits on every machine.");
    m.def("log", &fixed::log, arg("x"), "log(x), for x > 0, with the same bits on every machine.");
    m.def("quick_exp", &fixed::quick_exp, arg("x"),
          "exp(x) as a float, x bounded to [-60, 60], with the same bits on every machine.");
}
