// SPDX-License-Identifier: Apache-2.0
// Matrix products and Einsum.
#include "Common.h"

#include <cmath>
#include <map>

namespace cuvil::onnx {
namespace {

void matmul(Node &n) { n.out(n.b.matmul(n.in(0), n.in(1))); }

/// `x` times a factor; integers take whole factors only.
Value scaled(Node &n, Value x, double factor, const char *name) {
  if (factor == 1)
    return x;
  DType type = n.b.dtype(x);
  if (!isFloat(type) && std::nearbyint(factor) != factor)
    n.refuse(name, " is ", factor, ", which integers cannot be scaled by");
  return n.b.binaryReal("mul", x, factor);
}

void gemm(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), w = n.in(1), c = n.opt(2);
  double alpha = n.f("alpha", 1), beta = n.f("beta", 1);
  if (b.rank(x) != 2 || b.rank(w) != 2)
    n.bad("its matrices have ranks ", b.rank(x), " and ", b.rank(w));
  int64_t contractX = n.i("transA", 0) ? 0 : 1;
  int64_t contractW = n.i("transB", 0) ? 1 : 0;
  Value y =
      scaled(n, b.dot(x, w, {}, {}, {contractX}, {contractW}), alpha, "alpha");
  if (c && beta != 0) {
    Value bias = scaled(n, c, beta, "beta");
    y = b.binary("add", y, b.broadcast(bias, b.dims(y)));
  }
  n.out(y);
}

/// One term of an Einsum equation: labels, with the ellipsis as digits.
struct Term {
  std::string labels;
};

class Einsum {
public:
  Einsum(Node &n) : n(n), b(n.b) {}

  void run() {
    parse(n.s("equation", ""));
    Value result;
    std::string labels;
    for (size_t i = 0; i < terms.size(); ++i) {
      std::string own = terms[i].labels;
      Value x = diagonal(n.in(i), own);
      if (i == 0) {
        result = x;
        labels = own;
      } else {
        multiply(result, labels, x, own, i);
      }
    }
    result = sumUnused(result, labels, output);
    n.out(permuteTo(result, labels));
  }

private:
  void parse(std::string equation) {
    std::erase(equation, ' ');
    size_t arrow = equation.find("->");
    std::string left = equation.substr(0, arrow);
    std::vector<std::string> parts(1);
    for (char c : left) {
      if (c == ',')
        parts.emplace_back();
      else
        parts.back() += c;
    }
    if (parts.size() != n.numInputs())
      n.bad("equation ", quoted(equation), " has ", parts.size(), " terms for ",
            n.numInputs(), " inputs");
    size_t widest = 0;
    std::vector<size_t> dots(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      size_t ellipsis = parts[i].find("...");
      if (ellipsis == std::string::npos)
        continue;
      size_t rank = b.rank(n.in(i));
      if (rank + 3 < parts[i].size())
        n.bad("term ", quoted(parts[i]), " does not fit rank ", rank);
      dots[i] = rank + 3 - parts[i].size();
      widest = std::max(widest, dots[i]);
    }
    if (widest > 9)
      n.refuse("an ellipsis for more than 9 axes");
    // Ellipsis axes get digits, aligned at the right.
    auto digits = [&](size_t count) {
      std::string text;
      for (size_t k = widest - count; k < widest; ++k)
        text += static_cast<char>('0' + k);
      return text;
    };
    for (size_t i = 0; i < parts.size(); ++i) {
      size_t ellipsis = parts[i].find("...");
      if (ellipsis != std::string::npos)
        parts[i].replace(ellipsis, 3, digits(dots[i]));
      if (parts[i].size() != b.rank(n.in(i)))
        n.bad("term ", quoted(parts[i]), " does not fit rank ",
              b.rank(n.in(i)));
      for (size_t k = 0; k < parts[i].size(); ++k)
        noteSize(parts[i][k], b.dim(n.in(i), k));
      terms.push_back({parts[i]});
    }
    if (arrow == std::string::npos) {
      output = digits(widest);
      std::map<char, int> counts;
      for (const Term &term : terms)
        for (char c : term.labels)
          ++counts[c];
      for (auto [label, count] : counts)
        if (count == 1 && std::isalpha(static_cast<unsigned char>(label)))
          output += label;
    } else {
      output = equation.substr(arrow + 2);
      size_t ellipsis = output.find("...");
      if (ellipsis != std::string::npos)
        output.replace(ellipsis, 3, digits(widest));
    }
    for (size_t i = 0; i < output.size(); ++i)
      if (!sizes.count(output[i]) ||
          output.find(output[i], i + 1) != std::string::npos)
        n.bad("equation ", quoted(equation), " has a wrong output");
  }

  void noteSize(char label, Dim size) {
    auto [found, fresh] = sizes.emplace(label, size);
    if (!fresh)
      found->second = b.broadcastDim(found->second, size);
  }

  /// Takes the diagonal where a label occurs twice in one term.
  Value diagonal(Value x, std::string &labels) {
    for (size_t i = 0; i < labels.size(); ++i) {
      size_t j = labels.find(labels[i], i + 1);
      if (j == std::string::npos)
        continue;
      auto rank = static_cast<int64_t>(labels.size());
      auto first = static_cast<int64_t>(i), second = static_cast<int64_t>(j);
      Value rows = iotaAlong(b, b.dim(x, i), first, rank, DType::I64);
      Value columns = iotaAlong(b, b.dim(x, j), second, rank, DType::I64);
      Value same = b.compare("eq", rows, columns);
      x = b.select(same, x, b.integer(b.dtype(x), 0));
      x = b.reduce("sum", x, {second}, false);
      labels.erase(j, 1);
      --i;
    }
    return x;
  }

  /// Sums over labels that `kept` does not hold.
  Value sumUnused(Value x, std::string &labels, const std::string &kept) {
    Ints axes;
    std::string rest;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (kept.find(labels[i]) == std::string::npos)
        axes.push_back(static_cast<int64_t>(i));
      else
        rest += labels[i];
    }
    labels = rest;
    return b.reduce("sum", x, axes, false);
  }

  void multiply(Value &x, std::string &labels, Value y, std::string own,
                size_t index) {
    std::string later = output;
    for (size_t i = index + 1; i < terms.size(); ++i)
      later += terms[i].labels;
    x = sumUnused(x, labels, later + own);
    y = sumUnused(y, own, later + labels);
    Ints batchX, batchY, contractX, contractY;
    std::string batch, freeX, freeY;
    for (size_t i = 0; i < labels.size(); ++i) {
      size_t j = own.find(labels[i]);
      if (j == std::string::npos) {
        freeX += labels[i];
        continue;
      }
      x = widen(x, i, labels[i]);
      y = widen(y, j, labels[i]);
      bool contracted = later.find(labels[i]) == std::string::npos;
      (contracted ? contractX : batchX).push_back(static_cast<int64_t>(i));
      (contracted ? contractY : batchY).push_back(static_cast<int64_t>(j));
      if (!contracted)
        batch += labels[i];
    }
    for (char label : own)
      if (labels.find(label) == std::string::npos)
        freeY += label;
    x = b.dot(x, y, batchX, batchY, contractX, contractY);
    labels = batch + freeX + freeY;
  }

  /// Repeats an axis of size 1 to the label's size.
  Value widen(Value x, size_t axis, char label) {
    Dims dims = b.dims(x);
    dims[axis] = sizes.at(label);
    return b.broadcast(x, dims);
  }

  Value permuteTo(Value x, const std::string &labels) {
    Ints perm;
    for (char label : output) {
      size_t at = labels.find(label);
      perm.push_back(static_cast<int64_t>(at));
    }
    return b.transpose(x, perm);
  }

  Node &n;
  Builder &b;
  std::vector<Term> terms;
  std::string output;
  std::map<char, Dim> sizes;
};

void einsum(Node &n) { Einsum(n).run(); }

void fusedMatmul(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), y = n.in(1);
  if (n.i("transBatchA", 0) || n.i("transBatchB", 0))
    n.refuse("transBatchA and transBatchB are not supported");
  auto swapped = [&](Value v, bool swap) {
    auto rank = static_cast<int64_t>(b.rank(v));
    if (!swap || rank < 2)
      return v;
    Ints perm = range(0, rank);
    std::swap(perm[rank - 1], perm[rank - 2]);
    return b.transpose(v, perm);
  };
  x = swapped(x, n.i("transA", 0));
  y = swapped(y, n.i("transB", 0));
  n.out(scaled(n, b.matmul(x, y), n.f("alpha", 1), "alpha"));
}

} // namespace

OpTable contractionOps() {
  static constexpr OpEntry table[] = {
      {"", "MatMul", 1, latest, matmul},
      {"", "Gemm", 7, latest, gemm},
      {"", "Einsum", 12, latest, einsum},
      {"com.microsoft", "FusedMatMul", 1, latest, fusedMatmul},
  };
  return table;
}

} // namespace cuvil::onnx
