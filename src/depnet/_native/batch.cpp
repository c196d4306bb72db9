// Clamped pseudo-Gibbs chains, many rows of evidence at once, with Rao-Blackwell sums of what their
// updates would draw. Slow twin: tests/reference/inference.py.

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>

#include "arrays.hpp"

namespace depnet {
namespace {

constexpr std::int32_t kLeaf = -1;
constexpr std::int32_t kNone = -1;
constexpr std::size_t kTogether = 8;  // chains stepped in turn, so that their latencies overlap
constexpr std::int32_t kManyStates = 24;
constexpr double kUnit = 1.0 / 4294967296.0;

// SplitMix64 as a counter generator: word number `counter` of the stream `key`.
inline std::uint64_t word(std::uint64_t key, std::uint64_t counter) {
    std::uint64_t z = key + (counter + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

struct Node {
    bool walk;  // walk the decision graph from `root`, or look up `leaf_rows` from `root`
    std::int32_t root;
    std::int32_t input_begin, input_end;
    std::int32_t states;
    std::int32_t target_begin, target_end;
    std::int32_t pair_begin, pair_end;
    std::int32_t
        simple_cell;  // the node's one estimator is the marginal of its one variable, from here
};

struct Estimator {
    std::vector<std::int32_t> variables, strides;
    std::int32_t cell;
};

// Node i updates part of the targets of an estimator: state b adds to cell + outside + offset[b].
struct Pair {
    std::int32_t estimator;
    std::int32_t cell;
    std::int32_t offset_begin;
    std::int32_t outside_begin, outside_end;
};

class Plan {
  public:
    explicit Plan(In1<std::int32_t> cardinalities)
        : cards_(cardinalities.data(), cardinalities.data() + cardinalities.size()) {}

    void add_graph_node(In1<std::int32_t> targets, In1<std::int32_t> variable,
                        In1<std::int32_t> begin, In1<std::int32_t> children, In1<double> theta) {
        Node node =
            started(targets, theta, true, static_cast<std::int32_t>(vertex_variable_.size()));
        const auto first_child = static_cast<std::int32_t>(children_.size());
        const auto first_cell = static_cast<std::int32_t>(theta_.size() - theta.size());
        for (std::size_t v = 0; v < variable.size(); ++v) {
            vertex_variable_.push_back(variable(v));
            vertex_next_.push_back(variable(v) == kLeaf ? first_cell + begin(v) * node.states
                                                        : first_child + begin(v));
        }
        for (std::size_t c = 0; c < children.size(); ++c)
            children_.push_back(node.root + children(c));
        nodes_.push_back(node);
    }

    void add_table_node(In1<std::int32_t> targets, In1<std::int32_t> inputs,
                        In1<std::int32_t> leaves, In1<double> theta) {
        Node node = started(targets, theta, false, static_cast<std::int32_t>(leaf_rows_.size()));
        const auto first_cell = static_cast<std::int32_t>(theta_.size() - theta.size());
        std::vector<std::int32_t> strides(inputs.size());
        std::int32_t stride = 1;
        for (std::size_t j = inputs.size(); j-- > 0;) {
            strides[j] = stride;
            stride *= cards_[inputs(j)];
        }
        for (std::size_t j = 0; j < inputs.size(); ++j) {
            input_variable_.push_back(inputs(j));
            input_stride_.push_back(strides[j]);
        }
        node.input_end = static_cast<std::int32_t>(input_variable_.size());
        for (std::size_t x = 0; x < leaves.size(); ++x)
            leaf_rows_.push_back(first_cell + leaves(x) * node.states);
        nodes_.push_back(node);
    }

    // The joint of `variables`, row-major, as the next cells of the sums.
    void add_estimator(In1<std::int32_t> variables) {
        Estimator made{{variables.data(), variables.data() + variables.size()}, {}, cells_};
        made.strides.resize(variables.size());
        std::int32_t size = 1;
        for (std::size_t j = variables.size(); j-- > 0;) {
            made.strides[j] = size;
            size *= cards_[variables(j)];
        }
        cells_ += size;
        estimators_.push_back(std::move(made));
    }

    // Which nodes feed which estimators; call once, after everything was added.
    void link() {
        for (Node& node : nodes_) {
            node.pair_begin = static_cast<std::int32_t>(pairs_.size());
            for (std::size_t e = 0; e < estimators_.size(); ++e) link(node, e);
            node.pair_end = static_cast<std::int32_t>(pairs_.size());
            const bool one =
                node.pair_end - node.pair_begin == 1 && node.target_end - node.target_begin == 1;
            const bool marginal = one && estimators_[pairs_.back().estimator].variables.size() == 1;
            node.simple_cell = marginal ? pairs_.back().cell : kNone;
        }
    }

    std::int32_t cells() const { return cells_; }

    // Runs the chains first..last-1 for `sweeps` sweeps; chain c belongs to row c / per_row.
    void run(In1<std::int32_t> free_begin, In1<std::int32_t> free_node, In1<double> choice,
             In1<std::int32_t> positions, In1<std::int32_t> lengths,
             nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> clamped,
             std::int64_t per_row, bool sequential, bool record, std::int64_t sweeps,
             std::int64_t first, std::int64_t last, In1<std::uint64_t> keys,
             Out1<std::uint64_t> counters,
             nb::ndarray<std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> codes,
             nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> sums,
             nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> weights,
             Out1<std::int64_t> impossible) const {
        nb::gil_scoped_release release;
        const std::size_t n = cards_.size(), estimators = estimators_.size();
        Row row;
        for (std::int64_t at = first; at < last;) {
            const std::int64_t r = at / per_row;
            const std::int64_t stop =
                std::min({last, (r + 1) * per_row, at + static_cast<std::int64_t>(kTogether)});
            if (row.number != r) {
                row.number = r;
                row.free = {free_node.data() + free_begin(r), free_node.data() + free_begin(r + 1)};
                row.choice = choice.size() ? choice.data() + free_begin(r) : nullptr;
                row.clamped = clamped.data() + r * n;
                row.positions = positions.data() + free_begin(r);
                row.length = lengths(r);
                if (sequential) weigh(row);
            }
            Chain group[kTogether];
            std::size_t size = 0;
            for (std::int64_t c = at; c < stop; ++c)
                group[size++] = {keys(c),
                                 counters(c),
                                 codes.data() + c * n,
                                 sums.data() + c * static_cast<std::int64_t>(cells_),
                                 weights.data() + c * estimators,
                                 0};
            const std::span<Chain> chains(group, size);
            if (sequential)
                record ? sweep<true, true>(row, chains, sweeps)
                       : sweep<true, false>(row, chains, sweeps);
            else
                record ? sweep<false, true>(row, chains, sweeps)
                       : sweep<false, false>(row, chains, sweeps);
            for (std::int64_t c = at; c < stop; ++c) {
                counters(c) = group[c - at].counter;
                impossible(c) += group[c - at].impossible;
            }
            at = stop;
        }
    }

  private:
    struct Chain {
        std::uint64_t key, counter;
        std::uint16_t* codes;
        double* sums;
        double* weights;
        std::int64_t impossible;
    };
    struct Row {
        std::int64_t number = -1;
        std::span<const std::int32_t> free;
        const double* choice = nullptr;
        const std::int32_t* positions = nullptr;
        std::int32_t length = 0;
        const std::uint8_t* clamped = nullptr;
        std::vector<std::int32_t> weight_begin;  // place in the order -> its pairs' weights
        std::vector<double> weight;
    };

    Node started(In1<std::int32_t> targets, In1<double> theta, bool walk, std::int32_t root) {
        Node node{};
        node.walk = walk;
        node.root = root;
        node.input_begin = node.input_end = static_cast<std::int32_t>(input_variable_.size());
        node.target_begin = static_cast<std::int32_t>(targets_.size());
        node.states = 1;
        for (std::size_t b = 0; b < targets.size(); ++b) {
            targets_.push_back(targets(b));
            node.states *= cards_[targets(b)];
        }
        node.target_end = static_cast<std::int32_t>(targets_.size());
        std::int32_t stride = node.states;
        for (std::size_t b = 0; b < targets.size(); ++b) {
            stride /= cards_[targets(b)];
            target_stride_.push_back(stride);
        }
        // From the last possible state on, the cumulated probability is 1 whatever rounding made of
        // it; a row with no possible state stays at 0.
        for (std::size_t row = 0; row < theta.size(); row += node.states) {
            std::int32_t possible = kNone;
            for (std::int32_t x = 0; x < node.states; ++x)
                if (theta(row + x) > 0) possible = x;
            double total = 0;
            for (std::int32_t x = 0; x < node.states; ++x) {
                total += theta(row + x);
                theta_.push_back(theta(row + x));
                cumulated_.push_back(possible != kNone && x >= possible ? 1.0 : total);
            }
        }
        return node;
    }

    void link(const Node& node, std::size_t e) {
        const Estimator& estimator = estimators_[e];
        Pair pair{static_cast<std::int32_t>(e), estimator.cell,
                  static_cast<std::int32_t>(offsets_.size()),
                  static_cast<std::int32_t>(outside_variable_.size()), 0};
        std::vector<std::int32_t> inside(node.target_end - node.target_begin, 0);
        bool any = false;
        for (std::size_t t = 0; t < estimator.variables.size(); ++t) {
            const auto begin = targets_.begin() + node.target_begin;
            const auto end = targets_.begin() + node.target_end;
            const auto found = std::find(begin, end, estimator.variables[t]);
            if (found == end) {
                outside_variable_.push_back(estimator.variables[t]);
                outside_stride_.push_back(estimator.strides[t]);
            } else {
                inside[found - begin] = estimator.strides[t];
                any = true;
            }
        }
        pair.outside_end = static_cast<std::int32_t>(outside_variable_.size());
        if (!any) {
            outside_variable_.resize(pair.outside_begin);
            outside_stride_.resize(pair.outside_begin);
            return;
        }
        for (std::int32_t b = 0; b < node.states; ++b) {
            std::int32_t offset = 0;
            for (std::int32_t t = node.target_begin; t < node.target_end; ++t)
                offset += inside[t - node.target_begin] * digit(t, b);
            offsets_.push_back(offset);
        }
        pairs_.push_back(pair);
    }

    std::int32_t digit(std::int32_t t, std::int32_t state) const {
        return state / target_stride_[t] % cards_[targets_[t]];
    }

    // Sequential scan: an update of an estimator's targets stands until the next one, a share
    // (steps until then) / (steps of a sweep), nodes counted that are left out as irrelevant.
    void weigh(Row& row) const {
        const std::size_t places = row.free.size();
        row.weight_begin.assign(places + 1, 0);
        for (std::size_t p = 0; p < places; ++p) {
            const Node& node = nodes_[row.free[p]];
            row.weight_begin[p + 1] = row.weight_begin[p] + node.pair_end - node.pair_begin;
        }
        row.weight.assign(row.weight_begin[places], 0.0);
        std::vector<std::ptrdiff_t> next(estimators_.size(), -1);
        for (std::size_t again = 2 * places; again-- > 0;) {  // twice round, backwards
            const std::size_t p = again % places;
            const Node& node = nodes_[row.free[p]];
            for (std::int32_t q = node.pair_begin; q < node.pair_end; ++q) {
                std::ptrdiff_t& following = next[pairs_[q].estimator];
                const std::ptrdiff_t now = row.positions[p] + (again < places ? 0 : row.length);
                if (again < places)
                    row.weight[row.weight_begin[p] + q - node.pair_begin] =
                        static_cast<double>(following - now) / static_cast<double>(row.length);
                following = now;
            }
        }
    }

    template <bool Sequential, bool Record>
    void sweep(const Row& row, std::span<Chain> chains, std::int64_t sweeps) const {
        const std::size_t places = row.free.size();
        for (std::int64_t s = 0; s < sweeps; ++s)
            for (std::size_t p = 0; p < places; ++p)
                for (Chain& chain : chains) {
                    const std::uint64_t random = word(chain.key, chain.counter++);
                    const double u = static_cast<double>(random & 0xFFFFFFFFULL) * kUnit;
                    if constexpr (Sequential) {
                        update<Record>(row, chain, row.free[p], u,
                                       row.weight.data() + row.weight_begin[p]);
                    } else {
                        update<Record>(row, chain, row.free[chosen(row, random >> 32)], u, nullptr);
                    }
                }
    }

    static std::size_t chosen(const Row& row, std::uint64_t half) {
        const std::size_t places = row.free.size();
        if (row.choice == nullptr) return half * places >> 32;
        const double v = static_cast<double>(half) * kUnit;
        return std::upper_bound(row.choice, row.choice + places - 1, v) - row.choice;
    }

    template <bool Record>
    void update(const Row& row, Chain& chain, std::int32_t number, double u,
                const double* weight) const {
        const Node& node = nodes_[number];
        std::int32_t at = node.root;
        if (node.walk) {
            std::int32_t v;
            while ((v = vertex_variable_[at]) != kLeaf)
                at = children_[vertex_next_[at] + chain.codes[v]];
            at = vertex_next_[at];
        } else {
            for (std::int32_t j = node.input_begin; j < node.input_end; ++j)
                at += chain.codes[input_variable_[j]] * input_stride_[j];
            at = leaf_rows_[at];
        }
        const double* theta = theta_.data() + at;
        const double* cumulated = cumulated_.data() + at;
        const std::int32_t k = node.states;
        if (node.target_end - node.target_begin > 1) {
            update_block<Record>(row, chain, node, theta, cumulated, u, weight);
            return;
        }
        std::uint16_t& code = chain.codes[targets_[node.target_begin]];
        if (cumulated[k - 1] == 0) {
            stay<Record>(chain, node, code, weight);
            return;
        }
        std::int32_t x = 0;
        if (k == 2) {
            x = u >= cumulated[0];
        } else {
            x = draw(cumulated, k, u);
        }
        if constexpr (Record) {
            if (node.simple_cell != kNone) {
                double* cell = chain.sums + node.simple_cell;
                const double w = weight == nullptr ? 1.0 : weight[0];
                for (std::int32_t s = 0; s < k; ++s) cell[s] += w * theta[s];
                chain.weights[pairs_[node.pair_begin].estimator] += w;
            } else {
                add(chain, node, theta, 1.0, weight);
            }
        }
        code = static_cast<std::uint16_t>(x);
    }

    static std::int32_t draw(const double* cumulated, std::int32_t k, double u) {
        if (k > kManyStates)
            return static_cast<std::int32_t>(std::upper_bound(cumulated, cumulated + k - 1, u) -
                                             cumulated);
        std::int32_t x = 0;
        while (x < k - 1 && u >= cumulated[x]) ++x;
        return x;
    }

    void add(Chain& chain, const Node& node, const double* theta, double total,
             const double* weight) const {
        for (std::int32_t q = node.pair_begin; q < node.pair_end; ++q) {
            const Pair& pair = pairs_[q];
            const double w = weight == nullptr ? 1.0 : weight[q - node.pair_begin];
            double* cell = chain.sums + pair.cell;
            for (std::int32_t o = pair.outside_begin; o < pair.outside_end; ++o)
                cell += chain.codes[outside_variable_[o]] * outside_stride_[o];
            const std::int32_t* offset = offsets_.data() + pair.offset_begin;
            for (std::int32_t b = 0; b < node.states; ++b) cell[offset[b]] += w * theta[b] / total;
            chain.weights[pair.estimator] += w;
        }
    }

    // The evidence leaves theta no mass here: the state stays.
    template <bool Record>
    void stay(Chain& chain, const Node& node, std::int32_t state, const double* weight) const {
        if constexpr (Record) {
            ++chain.impossible;
            for (std::int32_t q = node.pair_begin; q < node.pair_end; ++q) {
                const Pair& pair = pairs_[q];
                const double w = weight == nullptr ? 1.0 : weight[q - node.pair_begin];
                double* cell = chain.sums + pair.cell;
                for (std::int32_t o = pair.outside_begin; o < pair.outside_end; ++o)
                    cell += chain.codes[outside_variable_[o]] * outside_stride_[o];
                cell[offsets_[pair.offset_begin + state]] += w;
                chain.weights[pair.estimator] += w;
            }
        }
    }

    // A block: its clamped variables condition theta.
    template <bool Record>
    void update_block(const Row& row, Chain& chain, const Node& node, const double* theta,
                      const double* cumulated, double u, const double* weight) const {
        bool partial = false;
        std::int32_t current = 0;
        for (std::int32_t t = node.target_begin; t < node.target_end; ++t) {
            partial = partial || row.clamped[targets_[t]];
            current += chain.codes[targets_[t]] * target_stride_[t];
        }
        std::int32_t state = 0;
        if (!partial) {
            if (cumulated[node.states - 1] == 0) {
                stay<Record>(chain, node, current, weight);
                return;
            }
            state = draw(cumulated, node.states, u);
            if constexpr (Record) add(chain, node, theta, 1.0, weight);
        } else {
            thread_local std::vector<double> left;
            left.assign(node.states, 0.0);
            double total = 0;
            for (std::int32_t b = 0; b < node.states; ++b) {
                bool matches = true;
                for (std::int32_t t = node.target_begin; t < node.target_end; ++t)
                    if (row.clamped[targets_[t]] && digit(t, b) != chain.codes[targets_[t]])
                        matches = false;
                if (matches) total += left[b] = theta[b];
            }
            if (total == 0) {
                stay<Record>(chain, node, current, weight);
                return;
            }
            double cumulative = 0;
            state = kNone;
            std::int32_t possible = 0;
            for (std::int32_t b = 0; b < node.states && state == kNone; ++b) {
                if (left[b] == 0) continue;
                cumulative += left[b];
                possible = b;
                if (u * total < cumulative) state = b;
            }
            if (state == kNone) state = possible;
            if constexpr (Record) add(chain, node, left.data(), total, weight);
        }
        for (std::int32_t t = node.target_begin; t < node.target_end; ++t)
            chain.codes[targets_[t]] = static_cast<std::uint16_t>(digit(t, state));
    }

    std::vector<std::int32_t> cards_;
    std::vector<Node> nodes_;
    std::vector<Estimator> estimators_;
    std::vector<Pair> pairs_;
    std::vector<std::int32_t> vertex_variable_, vertex_next_, children_;
    std::vector<std::int32_t> input_variable_, input_stride_, leaf_rows_;
    std::vector<std::int32_t> targets_, target_stride_;
    std::vector<std::int32_t> offsets_, outside_variable_, outside_stride_;
    std::vector<double> theta_, cumulated_;
    std::int32_t cells_ = 0;
};

}  // namespace
}  // namespace depnet

NB_MODULE(batch, m) {
    using namespace depnet;
    nb::class_<Plan>(m, "Plan")
        .def(nb::init<In1<std::int32_t>>(), nb::arg("cardinalities"))
        .def("add_graph_node", &Plan::add_graph_node, nb::arg("targets"), nb::arg("variable"),
             nb::arg("begin"), nb::arg("children"), nb::arg("theta"))
        .def("add_table_node", &Plan::add_table_node, nb::arg("targets"), nb::arg("inputs"),
             nb::arg("leaves"), nb::arg("theta"))
        .def("add_estimator", &Plan::add_estimator, nb::arg("variables"))
        .def("link", nb::overload_cast<>(&Plan::link))
        .def_prop_ro("cells", &Plan::cells)
        .def("run", &Plan::run, nb::arg("free_begin"), nb::arg("free_node"), nb::arg("choice"),
             nb::arg("positions"), nb::arg("lengths"), nb::arg("clamped"), nb::arg("per_row"),
             nb::arg("sequential"), nb::arg("record"), nb::arg("sweeps"), nb::arg("first"),
             nb::arg("last"), nb::arg("keys"), nb::arg("counters").noconvert(),
             nb::arg("codes").noconvert(), nb::arg("sums").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("impossible").noconvert());
}
