// SPDX-License-Identifier: Apache-2.0
// Reference kernel of the recurrent layers, one direction and batch row at a
// time.
#include "Kernels.h"
#include "Scalars.h"
#include "cuvil/IR/CuvilOps.h"

using namespace cuvil;
using namespace cuvil::detail;

namespace {
using Row = std::vector<double>;

struct Activation {
  RealFunction fn;
  double clip;
  double operator()(double x) const {
    return fn(clip > 0 ? std::min(std::max(x, -clip), clip) : x);
  }
};

/// One direction of a layer: its parameters and one step of its cell.
struct Cell {
  int64_t input, hidden, gates;
  const double *w, *r;    ///< [gates*hidden, input], [gates*hidden, hidden]
  const double *wb, *rb;  ///< [gates*hidden] or null
  const double *peephole; ///< [3*hidden] in order i, o, f, or null
  llvm::SmallVector<Activation, 3> activations;
  double clip;
  bool inputForget, linearBeforeReset;

  void stepLstm(const double *x, Row &h, Row &c) const;
  void stepGru(const double *x, Row &h) const;
  void stepSimple(const double *x, Row &h) const;

private:
  /// W x + Wb of unit j of a gate, and R h + Rb.
  double fromInput(int64_t gate, int64_t j, const double *x) const;
  double fromState(int64_t gate, int64_t j, const Row &h) const;
};
} // namespace

static double dot(const double *a, const double *b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}

double Cell::fromInput(int64_t gate, int64_t j, const double *x) const {
  int64_t row = gate * hidden + j;
  return dot(w + row * input, x, input) + (wb ? wb[row] : 0);
}

double Cell::fromState(int64_t gate, int64_t j, const Row &h) const {
  int64_t row = gate * hidden + j;
  return dot(r + row * hidden, h.data(), hidden) + (rb ? rb[row] : 0);
}

void Cell::stepLstm(const double *x, Row &h, Row &c) const {
  enum { I, O, F, C };
  auto gate = [&](int64_t which, int64_t j) {
    return fromInput(which, j, x) + fromState(which, j, h);
  };
  auto peep = [&](int64_t which, int64_t j) {
    return peephole ? peephole[which * hidden + j] : 0;
  };
  Row next(hidden);
  for (int64_t j = 0; j < hidden; ++j) {
    double i = activations[0](gate(I, j) + peep(I, j) * c[j]);
    double f =
        inputForget ? 1 - i : activations[0](gate(F, j) + peep(F, j) * c[j]);
    double update = f * c[j] + i * activations[1](gate(C, j));
    double o = activations[0](gate(O, j) + peep(O, j) * update);
    c[j] = update;
    next[j] = o * activations[2](update);
  }
  h = std::move(next);
}

void Cell::stepGru(const double *x, Row &h) const {
  enum { Z, R, H };
  Row reset(hidden), scaled(hidden), next(hidden);
  for (int64_t j = 0; j < hidden; ++j) {
    reset[j] = activations[0](fromInput(R, j, x) + fromState(R, j, h));
    scaled[j] = reset[j] * h[j];
  }
  for (int64_t j = 0; j < hidden; ++j) {
    double z = activations[0](fromInput(Z, j, x) + fromState(Z, j, h));
    double state = linearBeforeReset ? reset[j] * fromState(H, j, h)
                                     : fromState(H, j, scaled);
    double update = activations[1](fromInput(H, j, x) + state);
    next[j] = (1 - z) * update + z * h[j];
  }
  h = std::move(next);
}

void Cell::stepSimple(const double *x, Row &h) const {
  Row next(hidden);
  for (int64_t j = 0; j < hidden; ++j)
    next[j] = activations[0](fromInput(0, j, x) + fromState(0, j, h));
  h = std::move(next);
}

static RealFunction getActivation(llvm::StringRef name, double alpha,
                                  double beta) {
  if (name == "affine")
    return [=](double x) { return alpha * x + beta; };
  if (name == "thresholdedrelu")
    return [=](double x) { return x >= alpha ? x : 0; };
  if (name == "scaledtanh")
    return [=](double x) { return alpha * std::tanh(beta * x); };
  if (name == "leakyrelu")
    return getUnaryFunction("leaky_relu", alpha, beta);
  if (name == "hardsigmoid")
    return getUnaryFunction("hard_sigmoid", alpha, beta);
  return getUnaryFunction(name, alpha, beta);
}

/// The elements of an optional operand; empty when it is absent.
static Row readOptional(Inputs inputs, size_t i) {
  const EvalTensor *tensor = getOptional(inputs, i);
  return tensor ? tensor->toF64() : Row();
}

static const double *at(const Row &values, int64_t offset) {
  return values.empty() ? nullptr : values.data() + offset;
}

llvm::LogicalResult RnnOp::eval(EvalContext &context, Inputs inputs,
                                Outputs outputs) {
  bool isLstm = getKind() == "lstm", isGru = getKind() == "gru";
  int64_t gates = isLstm ? 4 : isGru ? 3 : 1;
  Dims xDims = inputs[0]->getDims();
  int64_t steps = xDims[0], batch = xDims[1], input = xDims[2];
  int64_t hidden = inputs[2]->getDims()[2];
  int64_t directions = getDirection() == "bidirectional" ? 2 : 1;
  int64_t rows = gates * hidden;
  llvm::SmallVector<int64_t> state = {directions, batch, hidden};
  const std::pair<const char *, llvm::SmallVector<int64_t>> wanted[] = {
      {"x", {steps, batch, input}},
      {"w", {directions, rows, input}},
      {"r", {directions, rows, hidden}},
      {"b", {directions, 2 * rows}},
      {"lengths", {batch}},
      {"h0", state},
      {"c0", state},
      {"peephole", {directions, 3 * hidden}}};
  for (auto [i, want] : llvm::enumerate(wanted))
    if (const EvalTensor *operand = getOptional(inputs, i))
      if (failed(requireDims(context, operand->getDims(), want.second,
                             want.first)))
        return llvm::failure();
  if (failed(requireDims(context, outputs[0]->getDims(),
                         {steps, directions, batch, hidden}, "y")))
    return llvm::failure();
  Row x = inputs[0]->toF64(), w = inputs[1]->toF64(), r = inputs[2]->toF64();
  Row b = readOptional(inputs, 3), h0 = readOptional(inputs, 5);
  Row c0 = readOptional(inputs, 6), peephole = readOptional(inputs, 7);
  std::vector<int64_t> lengths(batch, steps);
  if (const EvalTensor *given = getOptional(inputs, 4))
    lengths = given->toI64();
  for (int64_t length : lengths)
    if (length < 0 || length > steps)
      return context.fail(CUVIL_OUT_OF_RANGE,
                          "a sequence length of " + std::to_string(length) +
                              " is outside of 0 to " + std::to_string(steps));
  Row y(steps * directions * batch * hidden), lastH, lastC;
  int64_t count = getActivations().size() / directions;
  for (int64_t d = 0; d < directions; ++d) {
    Cell cell = {input,
                 hidden,
                 gates,
                 w.data() + d * rows * input,
                 r.data() + d * rows * hidden,
                 at(b, d * 2 * rows),
                 at(b, d * 2 * rows + rows),
                 at(peephole, d * 3 * hidden),
                 {},
                 getClip().convertToDouble(),
                 getInputForget(),
                 getLinearBeforeReset()};
    for (int64_t i = d * count; i < (d + 1) * count; ++i) {
      auto name = llvm::cast<mlir::StringAttr>(getActivations()[i]).getValue();
      RealFunction fn = getActivation(name, getAlphas()[i], getBetas()[i]);
      if (!fn)
        return context.fail(CUVIL_UNSUPPORTED,
                            "there is no activation " + name.str());
      cell.activations.push_back({fn, cell.clip});
    }
    bool reverse = d == 1 || getDirection() == "reverse";
    for (int64_t row = 0; row < batch; ++row) {
      Row h(hidden), c(hidden);
      int64_t start = (d * batch + row) * hidden;
      if (!h0.empty())
        h.assign(h0.begin() + start, h0.begin() + start + hidden);
      if (!c0.empty())
        c.assign(c0.begin() + start, c0.begin() + start + hidden);
      for (int64_t i = 0; i < lengths[row]; ++i) {
        int64_t t = reverse ? lengths[row] - 1 - i : i;
        const double *from = x.data() + (t * batch + row) * input;
        if (isLstm)
          cell.stepLstm(from, h, c);
        else if (isGru)
          cell.stepGru(from, h);
        else
          cell.stepSimple(from, h);
        std::copy(h.begin(), h.end(),
                  y.begin() + ((t * directions + d) * batch + row) * hidden);
      }
      lastH.insert(lastH.end(), h.begin(), h.end());
      lastC.insert(lastC.end(), c.begin(), c.end());
    }
  }
  outputs[0]->setF64(y);
  outputs[1]->setF64(lastH);
  if (isLstm)
    outputs[2]->setF64(lastC);
  return llvm::success();
}
