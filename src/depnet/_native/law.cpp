// The law Q(x) = product over i of theta_i(x_i | y_i) of an ordered network: weighted passes and
// moves. Slow twins: tests/reference/ordered.py.

#include <nanobind/stl/optional.h>

#include <optional>

#include "law_program.hpp"

#define DEPNET_ISA_NAMESPACE portable
#include "sampler_philox.hpp"

namespace depnet::law {
namespace {

using sampler::portable::kTile;
using sampler::portable::Rows;

constexpr std::uint32_t kPassStream = 64, kMoveStream = 80;
constexpr double kImpossible = -std::numeric_limits<double>::infinity();

template <typename T>
using Out2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Columns = nb::ndarray<T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

// What is known of a variable: `weights + begin` are the weights of its states; begin < 0: nothing.
struct Known {
    const std::int32_t* begin;  // of each variable
    const double* weights;
    const double* of(std::size_t variable) const {
        return begin[variable] < 0 ? nullptr : weights + begin[variable];
    }
};

// Draw X_i in proportion to theta_i(. | y_i) w_i; the weight is what this is divided by.
struct Weighted {
    std::vector<double> row;
    std::vector<std::uint32_t> marks;

    std::size_t draw(const double* theta, const double* weights, std::size_t states,
                     std::uint32_t word, double& log_weight) {
        row.resize(states);
        marks.resize(states);
        double total = 0.0;
        for (std::size_t s = 0; s < states; ++s) total += row[s] = theta[s] * weights[s];
        if (!(total > 0.0)) {  // the evidence is impossible here: any state it allows will do
            log_weight = kImpossible;
            for (std::size_t s = 0; s < states; ++s)
                if (weights[s] > 0.0) return s;
        }
        log_weight += std::log(total);
        thresholds_of(row.data(), states, marks.data());
        return drawn(marks.data(), states, word);
    }
};

// Rows first..first+rows-1 of a pass over the nodes at `places`, ascending in the order. Word p of
// a row's stream is that of the node at place p, whichever nodes take part.
template <typename Code>
void pass(const Program& program, const std::int32_t* places, std::size_t count, Known known,
          std::uint64_t seed, std::int64_t first, const std::uint32_t* words, std::int64_t stride,
          Code* codes, std::size_t rows, double* log_weights) {
    Weighted weighted;
    for (std::size_t begin = 0; begin < rows; begin += kTile) {
        const std::size_t tile = std::min<std::size_t>(kTile, rows - begin);
        Rows made(seed, kPassStream, first + static_cast<std::int64_t>(begin),
                  static_cast<std::int64_t>(tile), words ? words + begin : nullptr, stride, 0);
        Code* at = codes + begin;
        double* log_weight = log_weights + begin;
        for (std::size_t k = 0; k < count; ++k) {
            const auto place = static_cast<std::size_t>(places[k]);
            const Node& node = program.node(place);
            const auto states = static_cast<std::size_t>(node.states);
            const auto variable = static_cast<std::size_t>(node.variable);
            const std::uint32_t* word = made.row(place);
            Code* column = at + variable * rows;
            if (const double* weights = known.of(variable)) {
                const double* theta = program.theta(node);
                for (std::size_t r = 0; r < tile; ++r) {
                    const auto leaf = static_cast<std::size_t>(program.leaf(node, at + r, rows));
                    column[r] = static_cast<Code>(weighted.draw(theta + leaf * states, weights,
                                                                states, word[r], log_weight[r]));
                }
                continue;
            }
            const std::uint32_t* marks = program.thresholds(node);
            for (std::size_t r = 0; r < tile; ++r) {
                const auto leaf = static_cast<std::size_t>(program.leaf(node, at + r, rows));
                column[r] = static_cast<Code>(drawn(marks + leaf * (states - 1), states, word[r]));
            }
        }
    }
}

// Updates of single rows: X_i from its conditional under Q, given all others.
class Mover {
  public:
    Mover(const Program& program, const std::uint8_t* active, Known known)
        : program_(program), active_(active), known_(known) {}

    // The conditional of the node at `place`, not normalised, in `row`; false where all is
    // impossible.
    bool conditional(std::size_t place, std::uint16_t* codes) {
        const Node& node = program_.node(place);
        const auto variable = static_cast<std::size_t>(node.variable);
        const auto states = static_cast<std::size_t>(node.states);
        const double* own = program_.log_theta(node) +
                            static_cast<std::size_t>(program_.leaf(node, codes, 1)) * states;
        row.assign(own, own + states);
        if (const double* weights = known_.of(variable))
            for (std::size_t s = 0; s < states; ++s) row[s] += std::log(weights[s]);
        const std::uint16_t was = codes[variable];
        for (const std::int32_t reader : program_.readers(variable)) {
            if (!active_[reader]) continue;
            const Node& other = program_.node(static_cast<std::size_t>(reader));
            const double* logs =
                program_.log_theta(other) + codes[static_cast<std::size_t>(other.variable)];
            for (std::size_t s = 0; s < states; ++s) {
                codes[variable] = static_cast<std::uint16_t>(s);
                row[s] += logs[program_.leaf(other, codes, 1) * other.states];
            }
        }
        codes[variable] = was;
        const double top = *std::max_element(row.begin(), row.end());
        if (top == kImpossible) return false;
        total = 0.0;
        for (double& each : row) total += each = std::exp(each - top);
        return true;
    }

    std::uint16_t draw(std::uint32_t word) const {
        const double until = static_cast<double>(word) * 0x1p-32 * total;
        double sum = 0.0;
        std::size_t last = 0;
        for (std::size_t s = 0; s < row.size(); ++s) {
            if (row[s] > 0.0) last = s;
            sum += row[s];
            if (until < sum) return static_cast<std::uint16_t>(s);
        }
        return static_cast<std::uint16_t>(last);
    }

    std::vector<double> row;
    double total = 0.0;

  private:
    const Program& program_;
    const std::uint8_t* active_;
    Known known_;
};

void check_known(const Program& program, const In1<std::int32_t>& begin) {
    if (begin.size() != program.variables()) throw std::invalid_argument("one begin a variable");
}

void passes(const Program& program, In1<std::int32_t> places, In1<std::int32_t> known_begin,
            In1<double> known_weights, std::uint64_t seed, std::int64_t first,
            std::optional<Out2<const std::uint32_t>> words,
            nb::ndarray<nb::ndim<2>, nb::f_contig, nb::device::cpu> codes,
            Out1<double> log_weights) {
    check_known(program, known_begin);
    const Known known{known_begin.data(), known_weights.data()};
    const std::uint32_t* given = words ? words->data() : nullptr;
    const auto stride = static_cast<std::int64_t>(words ? words->shape(1) : 0);
    const std::size_t rows = codes.shape(0);
    const bool narrow = codes.dtype() == nb::dtype<std::uint8_t>();
    void* data = codes.data();
    nb::gil_scoped_release release;
    if (narrow)
        pass(program, places.data(), places.size(), known, seed, first, given, stride,
             static_cast<std::uint8_t*>(data), rows, log_weights.data());
    else
        pass(program, places.data(), places.size(), known, seed, first, given, stride,
             static_cast<std::uint16_t*>(data), rows, log_weights.data());
}

// Sweeps over the hidden variables of each row, in the order. Word t of a row's stream is that of
// its t-th update of all sweeps, `first_sweep` having been made before.
void moves(const Program& program, In1<std::uint8_t> active, In1<std::int32_t> known_begin,
           In1<double> known_weights, std::uint64_t seed, std::int64_t first_row,
           std::int64_t first_sweep, std::int64_t sweeps, Out2<const std::uint8_t> hidden,
           Out2<std::uint16_t> codes, In1<std::int32_t> cells, Out2<double> sums,
           Out1<std::int64_t> impossible) {
    check_known(program, known_begin);
    const Known known{known_begin.data(), known_weights.data()};
    nb::gil_scoped_release release;
    const std::size_t n = program.variables();
    Mover mover(program, active.data(), known);
    std::vector<std::int32_t> places;
    for (std::size_t r = 0; r < codes.shape(0); ++r) {
        const std::uint8_t* open = hidden.data() + (hidden.shape(0) == 1 ? 0 : r * n);
        std::uint16_t* state = codes.data() + r * n;
        double* sum = sums.shape(1) ? sums.data() + r * sums.shape(1) : nullptr;
        places.clear();
        for (std::size_t place = 0; place < n; ++place)
            if (active.data()[place] && open[program.node(place).variable])
                places.push_back(static_cast<std::int32_t>(place));
        std::uint64_t t = static_cast<std::uint64_t>(first_sweep) * places.size();
        std::uint32_t four[4];
        std::uint64_t block = ~std::uint64_t{0};
        for (std::int64_t sweep = 0; sweep < sweeps; ++sweep)
            for (const std::int32_t place : places) {
                const std::uint64_t at = t++;
                if (at / 4 != block) {
                    block = at / 4;
                    sampler::portable::philox_scalar(
                        seed, kMoveStream, block,
                        static_cast<std::uint32_t>(first_row + static_cast<std::int64_t>(r)), four);
                }
                if (!mover.conditional(static_cast<std::size_t>(place), state)) {
                    ++impossible.data()[r];
                    continue;
                }
                const auto variable = static_cast<std::size_t>(
                    program.node(static_cast<std::size_t>(place)).variable);
                state[variable] = mover.draw(four[at % 4]);
                if (sum != nullptr)
                    for (std::size_t s = 0; s < mover.row.size(); ++s)
                        sum[static_cast<std::size_t>(cells.data()[variable]) + s] +=
                            mover.row[s] / mover.total;
            }
    }
}

}  // namespace
}  // namespace depnet::law

NB_MODULE(law, m) {
    using namespace depnet;
    using namespace depnet::law;
    nb::class_<Program>(m, "Program")
        .def(nb::init<In1<std::int32_t>>(), nb::arg("cardinalities"))
        .def("add_graph_node", &Program::add_graph_node, nb::arg("variable"), nb::arg("tested"),
             nb::arg("begin"), nb::arg("children"), nb::arg("theta"))
        .def("add_table_node", &Program::add_table_node, nb::arg("variable"), nb::arg("inputs"),
             nb::arg("leaves"), nb::arg("theta"));
    m.def("passes", &passes, nb::arg("program"), nb::kw_only(), nb::arg("places"),
          nb::arg("known_begin"), nb::arg("known_weights"), nb::arg("seed"), nb::arg("first"),
          nb::arg("words").none(), nb::arg("codes").noconvert(),
          nb::arg("log_weights").noconvert());
    m.def("moves", &moves, nb::arg("program"), nb::kw_only(), nb::arg("active"),
          nb::arg("known_begin"), nb::arg("known_weights"), nb::arg("seed"), nb::arg("first_row"),
          nb::arg("first_sweep"), nb::arg("sweeps"), nb::arg("hidden"),
          nb::arg("codes").noconvert(), nb::arg("cells"), nb::arg("sums").noconvert(),
          nb::arg("impossible").noconvert());
}
