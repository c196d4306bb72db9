// Boosting from Python: rows as bit columns, made once and shared by all nodes and threads, and the
// stages of a node. Slow twin: tests/reference/boosting.py.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "boost_grower.hpp"
#include "stop.hpp"

namespace depnet::boost {
namespace {

std::vector<Test> tests_of(In1<std::int32_t> variable, In1<std::uint16_t> low,
                           In1<std::uint16_t> high) {
    std::vector<Test> tests;
    for (std::size_t d = 0; d < variable.shape(0); ++d)
        tests.push_back({variable(d), low(d), high(d)});
    return tests;
}

// A word to the boosters of other threads.
struct Stop : StopFlag {};

class BitTable {
  public:
    BitTable(AnyCodes codes, In1<std::int32_t> variable, In1<std::uint16_t> low,
             In1<std::uint16_t> high)
        : tests_(tests_of(variable, low, high)), variables_(codes.shape(1)) {
        bits_.rows = codes.shape(0);
        const std::size_t words = (bits_.rows + kRows - 1) / kRows;
        bits_.words = (words + kBlock - 1) / kBlock * kBlock;
        nb::gil_scoped_release release;
        bits_.columns.assign(tests_.size() * bits_.words, 0);
        if (codes.itemsize() == 1)
            fill(static_cast<const std::uint8_t*>(codes.data()));
        else
            fill(static_cast<const std::uint16_t*>(codes.data()));
    }

    const RowBits& bits() const { return bits_; }
    const std::vector<Test>& tests() const { return tests_; }
    std::size_t variables() const { return variables_; }

  private:
    template <typename Code>
    void fill(const Code* codes) {
        for (std::size_t d = 0; d < tests_.size(); ++d) {
            const Code* column = codes + static_cast<std::size_t>(tests_[d].variable) * bits_.rows;
            Word* out = bits_.columns.data() + d * bits_.words;
            for (std::size_t first = 0; first < bits_.rows; first += kRows) {
                const std::size_t rows = std::min(kRows, bits_.rows - first);
                Word mask = 0;
                for (std::size_t r = 0; r < rows; ++r) {
                    const std::uint16_t code = column[first + r];
                    mask |= Word{code >= tests_[d].low && code <= tests_[d].high} << r;
                }
                out[first / kRows] = mask;
            }
        }
    }

    std::vector<Test> tests_;
    std::size_t variables_;
    RowBits bits_;
};

// Scores [row][state] of the start, as the booster keeps them.
NodeRows node_rows(const RowBits& bits, const In1<std::uint16_t>& own,
                   const In2<std::int32_t>& scores) {
    NodeRows rows{bits, {own.data(), own.data() + own.size()}, {}, {}};
    const std::size_t padded = rows.padded(), states = scores.shape(1);
    const std::size_t kept = states == 2 ? 1 : states;
    const std::int32_t* given = scores.data();
    rows.scores.assign(kept * padded, 0);
    rows.p.assign(kept * padded, 0);
    for (std::size_t r = 0; r < bits.rows; ++r)
        for (std::size_t x = 0; x < kept; ++x)
            rows.scores[x * padded + r] =
                states == 2 ? given[2 * r + 1] - given[2 * r] : given[r * states + x];
    return rows;
}

enum class Ended { kComplete, kEarly, kCancelled };

// Grows, without the GIL, until all is grown, the time is over, or another thread says so.
Ended run_until(Booster& booster, NodeRows& rows, NodeRows* held, std::optional<double> seconds,
                const Stop& stop) {
    Watch watch(seconds.value_or(-1.0), stop.set, check_signals);
    try {
        booster.run(rows, held, watch);
    } catch (const DeadlineReached&) {
        return Ended::kEarly;
    } catch (const Cancelled&) {
        return Ended::kCancelled;
    }
    return Ended::kComplete;
}

using Stages = std::tuple<Array1<std::int32_t>, Array1<std::uint16_t>, Array1<std::int32_t>,
                          Array1<std::int32_t>, Array1<double>, Array1<double>, bool>;

Stages boost(const BitTable& table, const Settings& settings, In1<std::uint16_t> own,
             In2<std::int32_t> start, std::vector<std::int32_t> readable,
             const BitTable* held_table, std::optional<In1<std::uint16_t>> held_own,
             std::optional<In2<std::int32_t>> held_start, std::optional<double> seconds,
             const Stop& stop) {
    const std::size_t states = start.shape(1);
    Booster booster(settings, table.tests(), table.variables(), std::move(readable), states);
    Ended ended;
    {
        nb::gil_scoped_release release;
        NodeRows rows = node_rows(table.bits(), own, start);
        std::optional<NodeRows> held;
        if (held_table) held.emplace(node_rows(held_table->bits(), *held_own, *held_start));
        ended = run_until(booster, rows, held ? &*held : nullptr, seconds, stop);
    }
    if (ended == Ended::kCancelled) raise_interrupted("another thread ended this fit");
    Grown& grown = booster.grown();
    const auto kept =
        static_cast<std::size_t>(grown.begin.back());  // of a stage cut short: nothing
    std::vector<std::uint16_t> leaf;
    std::vector<std::int32_t> test;
    for (std::size_t t = 0; t < kept; ++t) {
        leaf.push_back(grown.splits[t].leaf);
        test.push_back(grown.splits[t].test);
    }
    grown.scores.resize((kept + grown.begin.size() - 1) * states);
    return {to_numpy(std::move(grown.begin)), to_numpy(std::move(leaf)),
            to_numpy(std::move(test)),        to_numpy(std::move(grown.scores)),
            to_numpy(std::move(grown.gains)), to_numpy(std::move(grown.held_scores)),
            ended == Ended::kComplete};
}

}  // namespace
}  // namespace depnet::boost

NB_MODULE(boost, m) {
    using namespace depnet;
    using namespace depnet::boost;
    using nb::arg;
    bind_stop<Stop>(
        m, "A word to the boosters of other threads: once `set`, they raise InterruptedError.",
        "End every `boost` that was given this.");
    nb::class_<Settings>(m, "Settings", "What a node is boosted with; see `depnet.Boost`.")
        .def(nb::init<std::size_t, std::size_t, std::size_t, double, double, double, double,
                      std::uint64_t>(),
             nb::kw_only(), arg("stages"), arg("leaves"), arg("patience"), arg("rate"),
             arg("shrinkage"), arg("least_curvature"), arg("share"), arg("seed"));
    nb::class_<BitTable>(m, "BitTable",
                         "The rows of a coded table ([N, n], column-major) as bits: which of them "
                         "pass each test, low <= x_variable <= high.")
        .def(nb::init<AnyCodes, In1<std::int32_t>, In1<std::uint16_t>, In1<std::uint16_t>>(),
             arg("codes").noconvert(), arg("variable"), arg("low"), arg("high"),
             nb::sig("def __init__(self, codes: numpy.typing.NDArray[numpy.uint8] | "
                     "numpy.typing.NDArray[numpy.uint16], variable: "
                     "numpy.typing.NDArray[numpy.int32], low: numpy.typing.NDArray[numpy.uint16], "
                     "high: numpy.typing.NDArray[numpy.uint16]) -> None"));
    m.def(
        "boost", &boost::boost, arg("table"), arg("settings"), nb::kw_only(), arg("own"),
        arg("start"), arg("readable"), arg("held_table").none(), arg("held_own").none(),
        arg("held_start").none(), arg("seconds").none(), arg("stop"),
        R"(The stages of one node, from the scores `start` ([N, states]) on; `own` are the states of its variable.

Stages split on the variables of `readable`. With rows held out, growing ends once `patience` stages have not scored better
on them. Returned are (begin, leaf, test, scores, gains, held_scores, complete): the stages' arrays, what splits on each
variable gained in nats, the sum of log theta of the rows held out at the start and after each stage, and False
if `seconds` passed first; what was grown until then is valid.)");
}
