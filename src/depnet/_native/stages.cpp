// Boosted nodes from Python: the scores of their stages for the rows of a table, and theta.

#include <vector>

#include "bindings.hpp"
#include "fixed_math.hpp"
#include "isa.hpp"
#include "network.hpp"

namespace depnet::stages {
namespace {

template <typename Code>
void add_tile(const View& view, const Code* codes, std::size_t stride, std::size_t rows,
              std::uint64_t* masks, std::int32_t* scores) {
    DEPNET_DISPATCH(add_scores(view, codes, stride, rows, masks, scores))
}
void tile_theta(const std::int32_t* scores, std::size_t states, const Digits& digits,
                double* theta) {
    DEPNET_DISPATCH(probabilities(scores, states, digits, theta))
}

template <typename Code>
void add_table_scores(const network::Stages& stages, Codes<Code> codes, Out2<std::int32_t> out) {
    nb::gil_scoped_release release;
    const std::size_t rows = codes.shape(0), states = stages.states();
    const View view = stages.view();
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

void probabilities_of(In2<std::int32_t> scores, In2<std::int32_t> digits, Out2<double> out) {
    nb::gil_scoped_release release;
    const Digits tree = network::digits_of(digits.data(), digits.shape(1));
    const std::size_t rows = scores.shape(0), states = scores.shape(1);
    std::vector<std::int32_t> tile(states * kRows);
    std::vector<double> theta(states * kRows);
    for (std::size_t first = 0; first < rows; first += kRows) {
        const std::size_t count = rows - first < kRows ? rows - first : kRows;
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t x = 0; x < states; ++x)
                tile[x * kRows + r] = scores.data()[(first + r) * states + x];
        tile_theta(tile.data(), states, tree, theta.data());
        for (std::size_t r = 0; r < count; ++r)
            for (std::size_t x = 0; x < states; ++x)
                out.data()[(first + r) * states + x] = theta[x * kRows + r];
    }
}

}  // namespace
}  // namespace depnet::stages

void depnet::bind_stages(nb::module_& m) {
    using namespace depnet::stages;
    using nb::arg;
    nb::class_<network::Stages>(m, "Stages", R"(The stages of a boosted node.

Test d is `low[d]` <= x <= `high[d]` of `variable[d]`. Stage m has the splits t from `begin[m]` to `begin[m + 1]` - 1: the rows of
leaf `leaf[t]` that pass `test[t]` go to a new leaf. `scores` is [leaf, state], all leaves of the stages one after the other.)")
        .def(nb::init<In1<std::int32_t>, In1<std::uint16_t>, In1<std::uint16_t>, In1<std::int32_t>,
                      In1<std::uint16_t>, In1<std::int32_t>, In2<std::int32_t>>(),
             nb::kw_only(), arg("variable"), arg("low"), arg("high"), arg("begin"), arg("leaf"),
             arg("test"), arg("scores"))
        .def("add_scores", &add_table_scores<std::uint8_t>, arg("codes").noconvert(),
             arg("out").noconvert(),
             "Add the scores of all stages to `out` ([N, states]) for every row of `codes` ([N, "
             "n], column-major).")
        .def("add_scores", &add_table_scores<std::uint16_t>, arg("codes").noconvert(),
             arg("out").noconvert());
    m.def("probabilities", &probabilities_of, arg("scores"), arg("digits"), arg("out").noconvert(),
          "theta of scores ([N, states], in multiples of 2^-20), into `out`; of `digits` as "
          "`Network.set_stages` has them.");
    m.def("exp", &fixed::exp, arg("x"),
          "exp(x), for x <= 700, with the same bits on every machine.");
    m.def("log", &fixed::log, arg("x"), "log(x), for x > 0, with the same bits on every machine.");
    m.def("quick_exp", &fixed::quick_exp, arg("x"),
          "exp(x) as a float, x bounded to [-60, 60], with the same bits on every machine.");
}
