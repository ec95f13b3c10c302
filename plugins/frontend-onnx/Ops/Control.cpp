// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan: subgraphs become regions, or copies of their body where
// the number of rounds is small and known.
#include "Common.h"

namespace cuvil::onnx {
namespace {

/// Rounds that are written out one after the other.
constexpr int64_t maxUnrolled = 16;

Values tensors(Node &n, const std::vector<Binding> &bindings) {
  Values values;
  for (const Binding &binding : bindings) {
    if (binding.kind != Binding::Tensor)
      n.refuse("only tensors can leave a branch or loop body");
    values.push_back(binding.value);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Ranks are static. Where the branches differ in one, exporters meant "drop
/// this axis if its size is 1": the branch that the model declares, or else
/// the first, is taken, and the run fails with a reason should the condition
/// ask for the other.
void requireCondition(Node &n, Value condition, bool wanted) {
  Builder &b = n.b;
  Dims bound = b.bindDims(b.convert(b.toScalar(condition), DType::I64));
  b.ops("assert", {},
        {{"relation", "eq"},
         {"lhs", bound},
         {"rhs", Dims{b.num(wanted)}},
         {"message", joined(n.label(),
                            ": the branches give tensors of "
                            "different rank; the model was built "
                            "for a condition that is ",
                            wanted ? "true" : "false")}},
        0);
}

void ifOp(Node &n) {
  Builder &b = n.b;
  const GraphProto &thenGraph = n.graph("then_branch");
  const GraphProto &elseGraph = n.graph("else_branch");
  auto branch = [&](const GraphProto &graph) {
    Scope scope(&n.scope(), n.scope().frame);
    std::vector<Binding> results = n.importer.importBody(graph, scope);
    if (results.size() < n.numOutputs())
      n.bad("a branch has ", results.size(), " outputs for ", n.numOutputs());
    return results;
  };
  auto inlined = [&](bool takeThen) {
    std::vector<Binding> results = branch(takeThen ? thenGraph : elseGraph);
    for (size_t i = 0; i < n.numOutputs(); ++i)
      n.out(i, results[i]);
  };
  Value condition = n.in(0);
  if (auto known = b.constantInts(condition); known && known->size() == 1)
    return inlined((*known)[0]);
  b.check(b.c().begin_if(b.get(), b.toScalar(condition).get()));
  auto handles = [&](const Values &values) {
    std::vector<cuvil_value> result;
    for (Value value : values)
      result.push_back(value.get());
    return result;
  };
  Values yes = tensors(n, branch(thenGraph));
  b.check(
      b.c().next_region(b.get(), handles(yes).data(), yes.size(), nullptr, 0));
  Values no = tensors(n, branch(elseGraph));
  if (yes.size() != no.size())
    n.bad("its branches have ", yes.size(), " and ", no.size(), " outputs");
  bool choose = false, takeThen = true;
  for (size_t i = 0; i < yes.size(); ++i) {
    if (b.dtype(yes[i]) != b.dtype(no[i]))
      n.refuse("output ", i, " is ", b.typeText(yes[i]), " in one branch and ",
               b.typeText(no[i]), " in the other; element types have to agree");
    if (b.rank(yes[i]) == b.rank(no[i]))
      continue;
    choose = true;
    takeThen = n.declaredRank(i).value_or(b.rank(yes[i])) != b.rank(no[i]);
    // The op being built is of no use, but has to be closed.
    no[i] =
        b.fill(b.integer(b.dtype(yes[i]), 0), Dims(b.rank(yes[i]), b.num(1)));
  }
  std::vector<cuvil_value> results(no.size());
  b.check(b.c().end_region_op(b.get(), handles(no).data(), no.size(),
                              results.data(), results.size()));
  if (choose) {
    requireCondition(n, condition, takeThen);
    return inlined(takeThen);
  }
  for (size_t i = 0; i < n.numOutputs(); ++i)
    n.out(i, Value(results[i]));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Binding indexed(Builder &b, int64_t i) { return b.integer(DType::I64, i); }

/// Copies the body `count` times.
class Unrolled {
public:
  Unrolled(Node &n, const GraphProto &body) : n(n), body(body) {}

  /// Runs one round and returns all outputs of the body.
  std::vector<Binding> round(const std::vector<Binding> &inputs) {
    Scope scope(&n.scope(), n.scope().frame);
    if (inputs.size() != body.inputs.size())
      n.bad("its body takes ", body.inputs.size(), " inputs, but gets ",
            inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
      scope.bind(body.inputs[i].name, inputs[i]);
    return n.importer.importBody(body, scope);
  }

private:
  Node &n;
  const GraphProto &body;
};

/// Stacks the values of all rounds along a new axis.
Value stack(Node &n, const Values &values, int64_t axis) {
  Values parts;
  for (Value value : values)
    parts.push_back(n.b.unsqueeze(value, {axis}));
  return n.b.concat(parts, axis);
}

void loopUnrolled(Node &n, const GraphProto &body, int64_t count,
                  std::vector<Binding> state, size_t collected) {
  Builder &b = n.b;
  Unrolled rounds(n, body);
  std::vector<Values> scans(collected);
  for (int64_t i = 0; i < count; ++i) {
    std::vector<Binding> inputs = {indexed(b, i),
                                   Binding(b.integer(DType::Bool, 1))};
    inputs.insert(inputs.end(), state.begin(), state.end());
    std::vector<Binding> outputs = rounds.round(inputs);
    for (size_t k = 0; k < state.size(); ++k)
      state[k] = outputs[1 + k];
    for (size_t k = 0; k < collected; ++k) {
      if (outputs[1 + state.size() + k].kind != Binding::Tensor)
        n.refuse("scan outputs have to be tensors");
      scans[k].push_back(outputs[1 + state.size() + k].value);
    }
  }
  for (size_t k = 0; k < state.size(); ++k)
    n.out(k, state[k]);
  for (size_t k = 0; k < collected; ++k)
    n.out(state.size() + k, stack(n, scans[k], 0));
}

/// The body's own rule for the condition output: true when it is the input or
/// a constant one, so that the trip count alone decides.
bool conditionStaysTrue(const GraphProto &body) {
  if (body.outputs.empty() || body.inputs.size() < 2)
    return false;
  std::string_view name = body.outputs[0].name;
  for (int hops = 0; hops < 8; ++hops) {
    if (name == body.inputs[1].name)
      return true;
    const NodeProto *producer = nullptr;
    for (const NodeProto &node : body.nodes)
      for (std::string_view output : node.outputs)
        if (output == name)
          producer = &node;
    if (!producer)
      return false;
    if (producer->opType == "Identity" && producer->inputs.size() == 1) {
      name = producer->inputs[0];
      continue;
    }
    if (producer->opType != "Constant" || producer->attributes.size() != 1)
      return false;
    const auto &tensor = producer->attributes[0].t;
    if (!tensor ||
        static_cast<ElementType>(tensor->dataType) != ElementType::Bool)
      return false;
    if (tensor->raw)
      return tensor->raw->size() == 1 && (*tensor->raw)[0] != std::byte(0);
    return tensor->int32Data.size() == 1 && tensor->int32Data[0] != 0;
  }
  return false;
}

/// A while over [number, condition, state..., collected...]. Collected values
/// grow by one row a round.
class WhileLoop {
public:
  WhileLoop(Node &n) : n(n), b(n.b) {}

  /// Collected values start as no rows of the type that the body declares.
  void run(const GraphProto &body, Value limit, Value condition,
           const Values &state, size_t collected) {
    Values initial = {b.integer(DType::I64, 0),
                      condition ? b.toScalar(condition)
                                : b.integer(DType::Bool, 1)};
    initial.insert(initial.end(), state.begin(), state.end());
    Values empty = emptyRows(body, initial, collected);
    initial.insert(initial.end(), empty.begin(), empty.end());

    // Which dims change from round to round shows only after the body; the
    // host then asks for the loop once more.
    std::vector<uint64_t> varying(initial.size(), 0);
    for (size_t k = 0; k < collected; ++k)
      varying[2 + state.size() + k] = 1;
    constexpr int maxAttempts = 4;
    for (int attempt = 0; attempt < maxAttempts; ++attempt)
      if (build(body, limit, initial, state, collected, varying))
        return;
    n.refuse("the dims of its carried values do not settle");
  }

private:
  bool build(const GraphProto &body, Value limit, const Values &initial,
             const Values &state, size_t collected,
             std::vector<uint64_t> &varying) {
    Values args = begin(initial, varying);
    Value go = args[1];
    if (limit)
      go = b.binary("and", go, b.compare("lt", args[0], b.toScalar(limit)));
    Values yields = {go};
    yields.insert(yields.end(), args.begin(), args.end());
    Values inner = next(yields, args.size());

    std::vector<Binding> outputs = runBody(body, inner, state.size());
    Values results = {b.binaryInt("add", inner[0], 1),
                      b.toScalar(outputs[0].value)};
    for (size_t k = 0; k < state.size(); ++k) {
      Value value = tensor(outputs[1 + k]);
      if (b.dtype(value) != b.dtype(state[k]) ||
          b.rank(value) != b.rank(state[k]))
        n.refuse("carried value ", k, " is ", b.typeText(state[k]),
                 " before and ", b.typeText(value),
                 " after a round; rank and element type have to stay");
      results.push_back(value);
    }
    for (size_t k = 0; k < collected; ++k) {
      Value row = tensor(outputs[1 + state.size() + k]);
      results.push_back(
          b.concat({inner[2 + state.size() + k], b.unsqueeze(row, {0})}, 0));
    }
    std::optional<Values> last = end(results, args.size(), varying);
    if (!last)
      return false;
    for (size_t k = 0; k < state.size() + collected; ++k)
      n.out(k, (*last)[2 + k]);
    return true;
  }

  Value tensor(const Binding &binding) {
    if (binding.kind != Binding::Tensor)
      n.refuse("only tensors can be carried through a loop");
    return binding.value;
  }

  std::vector<Binding> runBody(const GraphProto &body, const Values &args,
                               size_t states) {
    std::vector<Binding> inputs;
    for (size_t k = 0; k < 2 + states; ++k)
      inputs.push_back(args[k]);
    std::vector<Binding> outputs = Unrolled(n, body).round(inputs);
    if (outputs.empty() || outputs[0].kind != Binding::Tensor)
      n.bad("its body gives no condition");
    return outputs;
  }

  /// Tensors of no rows in the types that the body collects.
  Values emptyRows(const GraphProto &body, const Values &initial,
                   size_t collected) {
    Values result;
    size_t first = initial.size() - 1;
    for (size_t k = 0; k < collected; ++k) {
      const ValueInfoProto &info = body.outputs[first + k];
      DType type = dtypeOf(info.type.elementType);
      if (type == DType::None || !info.type.hasShape)
        n.refuse("scan output ", k, " needs a declared type and shape");
      Dims dims = {b.num(0)};
      for (const DimProto &d : info.type.shape) {
        if (d.kind != DimProto::Value || d.value < 0)
          n.refuse("scan output ", k, " needs a declared static shape");
        dims.push_back(b.num(d.value));
      }
      result.push_back(b.fill(b.integer(type, 0), dims));
    }
    return result;
  }

  static std::vector<cuvil_value> handles(const Values &values) {
    std::vector<cuvil_value> result;
    for (Value value : values)
      result.push_back(value.get());
    return result;
  }
  static Values wrap(const std::vector<cuvil_value> &raw) {
    Values result;
    for (cuvil_value value : raw)
      result.push_back(Value(value));
    return result;
  }
  Values begin(const Values &carried, const std::vector<uint64_t> &varying) {
    std::vector<cuvil_value> args(carried.size());
    b.check(b.c().begin_while(b.get(), handles(carried).data(), varying.data(),
                              carried.size(), args.data()));
    return wrap(args);
  }
  Values next(const Values &yields, size_t count) {
    std::vector<cuvil_value> args(count);
    b.check(b.c().next_region(b.get(), handles(yields).data(), yields.size(),
                              args.data(), args.size()));
    return wrap(args);
  }
  /// Nothing when the loop has to be built again with other masks.
  std::optional<Values> end(const Values &yields, size_t count,
                            std::vector<uint64_t> &varying) {
    std::vector<cuvil_value> results(count);
    cuvil_status *status =
        b.c().end_region_op(b.get(), handles(yields).data(), yields.size(),
                            results.data(), results.size());
    if (!status)
      return wrap(results);
    if (b.host().status_code(status) != CUVIL_FAILED_PRECONDITION)
      throw HostError{status};
    b.host().status_release(status);
    b.c().while_varying(b.get(), varying.data(), varying.size());
    return std::nullopt;
  }

  Node &n;
  Builder &b;
};

void loop(Node &n) {
  Builder &b = n.b;
  const GraphProto &body = n.graph("body");
  std::vector<Binding> state;
  for (size_t i = 2; i < n.numInputs(); ++i)
    state.push_back(n.binding(i));
  if (body.outputs.size() < 1 + state.size())
    n.bad("its body has ", body.outputs.size(), " outputs for ", state.size(),
          " carried values");
  size_t collected = body.outputs.size() - 1 - state.size();
  Value limit = n.opt(0), condition = n.opt(1);
  auto count = limit ? b.constantInts(limit) : std::nullopt;
  auto first = condition ? b.constantInts(condition) : std::nullopt;
  bool starts = !condition || (first && first->size() == 1 && (*first)[0]);
  bool isStatic =
      count && count->size() == 1 && starts && conditionStaysTrue(body);
  if (isStatic && (*count)[0] >= 1 && (*count)[0] <= maxUnrolled)
    return loopUnrolled(n, body, (*count)[0], state, collected);
  Values carried;
  for (const Binding &binding : state) {
    if (binding.kind != Binding::Tensor)
      n.refuse("only tensors can be carried through a loop");
    carried.push_back(binding.value);
  }
  WhileLoop(n).run(body, limit, condition, carried, collected);
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

void scan(Node &n) {
  Builder &b = n.b;
  const GraphProto &body = n.graph("body");
  auto scanned =
      static_cast<size_t>(std::max<int64_t>(n.i("num_scan_inputs", 0), 0));
  if (scanned < 1 || scanned > n.numInputs() ||
      body.inputs.size() != n.numInputs())
    n.bad("num_scan_inputs or its body does not fit the inputs");
  size_t states = n.numInputs() - scanned;
  if (body.outputs.size() < states)
    n.bad("its body has too few outputs");
  size_t collected = body.outputs.size() - states;
  auto list = [&](const char *name, size_t size) {
    Ints values = n.ints(name).value_or(Ints(size, 0));
    if (values.size() != size)
      n.bad(name, " has ", values.size(), " entries, not ", size);
    return values;
  };
  Ints inAxes = list("scan_input_axes", scanned);
  Ints inBack = list("scan_input_directions", scanned);
  Ints outAxes = list("scan_output_axes", collected);
  Ints outBack = list("scan_output_directions", collected);
  std::optional<int64_t> count;
  for (size_t k = 0; k < scanned; ++k) {
    Value x = n.in(states + k);
    inAxes[k] = n.axis(inAxes[k], static_cast<int64_t>(b.rank(x)));
    auto size = b.dim(x, inAxes[k]).constant();
    if (size && count && *size != *count)
      n.bad("its scan inputs have lengths ", *count, " and ", *size);
    if (size)
      count = size;
  }
  constexpr int64_t maxScan = 64;
  if (!count || *count < 1 || *count > maxScan)
    n.refuse("a scan over a length that is unknown, 0 or above ", maxScan,
             " is not supported");
  std::vector<Binding> state;
  for (size_t k = 0; k < states; ++k)
    state.push_back(n.binding(k));
  std::vector<Values> rows(collected);
  Unrolled rounds(n, body);
  for (int64_t i = 0; i < *count; ++i) {
    std::vector<Binding> inputs = state;
    for (size_t k = 0; k < scanned; ++k) {
      Value x = n.in(states + k);
      int64_t at = inBack[k] ? *count - 1 - i : i;
      Value part = b.sliceAxis(x, inAxes[k], b.num(at), b.num(1));
      inputs.push_back(b.squeeze(part, {inAxes[k]}));
    }
    std::vector<Binding> outputs = rounds.round(inputs);
    std::copy_n(outputs.begin(), states, state.begin());
    for (size_t k = 0; k < collected; ++k) {
      if (outputs[states + k].kind != Binding::Tensor)
        n.refuse("scan outputs have to be tensors");
      rows[k].push_back(outputs[states + k].value);
    }
  }
  for (size_t k = 0; k < states; ++k)
    n.out(k, state[k]);
  for (size_t k = 0; k < collected; ++k) {
    if (outBack[k])
      std::reverse(rows[k].begin(), rows[k].end());
    auto rank = static_cast<int64_t>(b.rank(rows[k][0])) + 1;
    n.out(states + k, stack(n, rows[k], n.axis(outAxes[k], rank)));
  }
}

} // namespace

OpTable controlOps() {
  static constexpr OpEntry table[] = {
      {"", "If", 1, latest, ifOp},
      {"", "Loop", 1, latest, loop},
      {"", "Scan", 9, latest, scan},
  };
  return table;
}

} // namespace cuvil::onnx
