// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN.
#include "Common.h"

namespace cuvil::onnx {
namespace {

struct Activation {
  const char *name;
  bool hasAlpha, hasBeta;
  double alpha, beta;
};

constexpr Activation known[] = {
    {"relu", false, false, 0, 0},        {"tanh", false, false, 0, 0},
    {"sigmoid", false, false, 0, 0},     {"affine", true, true, 1, 0},
    {"leakyrelu", true, false, 0.01, 0}, {"thresholdedrelu", true, false, 1, 0},
    {"scaledtanh", true, true, 1, 1},    {"hardsigmoid", true, true, 0.2, 0.5},
    {"elu", true, false, 1, 0},          {"softsign", false, false, 0, 0},
    {"softplus", false, false, 0, 0},
};

struct Activations {
  std::vector<std::string> names;
  std::vector<double> alphas, betas;
};

/// Parameters are listed only for the functions that take them, in order.
Activations readActivations(Node &n, std::vector<std::string> defaults,
                            size_t directions) {
  size_t each = defaults.size();
  std::vector<std::string> names = n.strings("activations");
  auto alphas = n.floats("activation_alpha").value_or(std::vector<double>());
  auto betas = n.floats("activation_beta").value_or(std::vector<double>());
  if (names.empty())
    for (size_t d = 0; d < directions; ++d)
      names.insert(names.end(), defaults.begin(), defaults.end());
  if (names.size() != each * directions)
    n.bad("it has ", names.size(), " activations, not ", each * directions);
  Activations result;
  size_t nextAlpha = 0, nextBeta = 0;
  for (std::string &name : names) {
    for (char &c : name)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    auto found =
        std::find_if(std::begin(known), std::end(known),
                     [&](const Activation &a) { return name == a.name; });
    if (found == std::end(known))
      n.refuse("activation ", quoted(name), " is not supported");
    double alpha = static_cast<float>(found->alpha),
           beta = static_cast<float>(found->beta);
    if (found->hasAlpha && nextAlpha < alphas.size())
      alpha = alphas[nextAlpha++];
    if (found->hasBeta && nextBeta < betas.size())
      beta = betas[nextBeta++];
    result.names.push_back(name);
    result.alphas.push_back(alpha);
    result.betas.push_back(beta);
  }
  return result;
}

void recurrent(Node &n, const char *kind,
               const std::vector<std::string> &defaults) {
  Builder &b = n.b;
  bool lstm = kind == std::string_view("lstm");
  bool gru = kind == std::string_view("gru");
  std::string direction = n.s("direction", "forward");
  if (direction != "forward" && direction != "reverse" &&
      direction != "bidirectional")
    n.bad("direction is ", quoted(direction));
  Activations act =
      readActivations(n, defaults, direction == "bidirectional" ? 2 : 1);
  bool batchFirst = n.opset >= 14 && n.i("layout", 0);
  Value x = n.in(0), w = n.in(1), r = n.in(2), lengths = n.opt(4);
  Value h0 = n.opt(5);
  Value c0 = lstm ? n.opt(6) : Value(), peephole = lstm ? n.opt(7) : Value();
  if (b.rank(x) != 3 || b.rank(r) != 3)
    n.bad("its input has rank ", b.rank(x), " and its recurrence rank ",
          b.rank(r), ", not 3");
  if (n.hasAttr("hidden_size"))
    if (auto hidden = b.dim(r, 2).constant();
        hidden && *hidden != n.i("hidden_size", 0))
      n.bad("hidden_size is ", n.i("hidden_size", 0), ", but the weights have ",
            *hidden);
  auto swapped = [&](Value v) {
    return v && batchFirst ? b.transpose(v, {1, 0, 2}) : v;
  };
  Attrs attrs = {{"kind", kind},
                 {"direction", direction},
                 {"activations", act.names},
                 {"alphas", act.alphas},
                 {"betas", act.betas},
                 {"clip", n.f("clip", 0)}};
  if (lstm)
    attrs.emplace_back("input_forget", n.i("input_forget", 0) != 0);
  if (gru)
    attrs.emplace_back("linear_before_reset",
                       n.i("linear_before_reset", 0) != 0);
  Values results = b.ops(
      "rnn",
      {swapped(x), w, r, n.opt(3), lengths, swapped(h0), swapped(c0), peephole},
      attrs, 3);
  Value y = results[0];
  // [S, D, B, H] to [B, S, D, H].
  n.out(0, batchFirst ? b.transpose(y, {2, 0, 1, 3}) : y);
  n.out(1, swapped(results[1]));
  if (lstm)
    n.out(2, swapped(results[2]));
}

void lstm(Node &n) { recurrent(n, "lstm", {"Sigmoid", "Tanh", "Tanh"}); }
void gru(Node &n) { recurrent(n, "gru", {"Sigmoid", "Tanh"}); }
void rnn(Node &n) { recurrent(n, "simple", {"Tanh"}); }

} // namespace

OpTable rnnOps() {
  static constexpr OpEntry table[] = {
      {"", "LSTM", 7, latest, lstm},
      {"", "GRU", 7, latest, gru},
      {"", "RNN", 7, latest, rnn},
  };
  return table;
}

} // namespace cuvil::onnx
