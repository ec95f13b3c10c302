// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals whose length and presence are known while importing.
#include "Common.h"

namespace cuvil::onnx {
namespace {

const Values &items(Node &n, size_t i) {
  const Binding &binding = n.binding(i);
  if (binding.kind != Binding::Sequence)
    n.bad("input ", i, " is not a sequence");
  return binding.items;
}

/// A constant position in [-limit, limit), counted from the front.
int64_t position(Node &n, size_t input, int64_t count, bool inserts) {
  auto values = n.b.constantInts(n.in(input));
  if (!values || values->size() != 1)
    n.refuse("a position in a sequence has to be a constant");
  int64_t at = (*values)[0];
  if (at < 0)
    at += count;
  if (at < 0 || at >= count + inserts)
    n.bad("position ", (*values)[0], " is outside of ", count, " elements");
  return at;
}

void construct(Node &n) { n.out(0, Binding::sequence(n.all())); }

void empty(Node &n) {
  n.ignore("dtype");
  n.out(0, Binding::sequence({}));
}

void at(Node &n) {
  const Values &list = items(n, 0);
  n.out(list[position(n, 1, static_cast<int64_t>(list.size()), false)]);
}

void insert(Node &n) {
  Values list = items(n, 0);
  auto count = static_cast<int64_t>(list.size());
  int64_t where = n.has(2) ? position(n, 2, count, true) : count;
  list.insert(list.begin() + where, n.in(1));
  n.out(0, Binding::sequence(std::move(list)));
}

void erase(Node &n) {
  Values list = items(n, 0);
  auto count = static_cast<int64_t>(list.size());
  if (count == 0)
    n.bad("its sequence is empty");
  int64_t where = n.has(1) ? position(n, 1, count, false) : count - 1;
  list.erase(list.begin() + where);
  n.out(0, Binding::sequence(std::move(list)));
}

void length(Node &n) {
  n.out(n.b.integer(DType::I64, static_cast<int64_t>(items(n, 0).size())));
}

void concatSequence(Node &n) {
  Builder &b = n.b;
  Values list = items(n, 0);
  bool newAxis = n.i("new_axis", 0);
  if (list.empty())
    n.bad("its sequence is empty");
  int64_t rank = static_cast<int64_t>(b.rank(list[0])) + newAxis;
  int64_t axis = n.axis(n.i("axis", 0), rank);
  if (newAxis)
    for (Value &value : list)
      value = b.unsqueeze(value, {axis});
  n.out(b.concat(list, axis));
}

void splitSequence(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t axis = n.axis(n.i("axis", 0), static_cast<int64_t>(b.rank(x)));
  bool keepdims = n.i("keepdims", 1);
  auto size = b.dim(x, axis).constant();
  if (!size)
    n.refuse("the size along its axis has to be known");
  Ints sizes;
  bool single = !n.has(1);
  if (n.has(1)) {
    auto split = b.constantInts(n.in(1));
    if (!split)
      n.refuse("split sizes have to be constant");
    if (b.rank(n.in(1)) == 1) {
      sizes = *split;
    } else {
      int64_t each = (*split)[0];
      if (each < 1)
        n.bad("a split size is ", each);
      for (int64_t at = 0; at < *size; at += each)
        sizes.push_back(std::min(each, *size - at));
    }
  } else {
    if (*size > 4096)
      n.refuse("it makes more than 4096 parts");
    sizes = Ints(*size, 1);
  }
  Values list;
  int64_t start = 0;
  for (int64_t part : sizes) {
    if (part < 0 || part > *size - start)
      n.bad("split sizes do not add up to ", *size);
    Value piece = b.sliceAxis(x, axis, b.num(start), b.num(part));
    list.push_back(single && !keepdims ? b.squeeze(piece, {axis}) : piece);
    start += part;
  }
  n.out(0, Binding::sequence(std::move(list)));
}

void optional(Node &n) {
  n.ignore("type");
  n.out(0, n.binding(0));
  n.outAbsent(0);
}

void hasElement(Node &n) { n.out(n.b.integer(DType::Bool, n.has(0) ? 1 : 0)); }

void getElement(Node &n) {
  if (!n.has(0))
    n.bad("its optional is empty");
  n.out(0, n.binding(0));
}

} // namespace

OpTable sequenceOps() {
  static constexpr OpEntry table[] = {
      {"", "SequenceConstruct", 11, latest, construct},
      {"", "SequenceEmpty", 11, latest, empty},
      {"", "SequenceAt", 11, latest, at},
      {"", "SequenceInsert", 11, latest, insert},
      {"", "SequenceErase", 11, latest, erase},
      {"", "SequenceLength", 11, latest, length},
      {"", "ConcatFromSequence", 11, latest, concatSequence},
      {"", "SplitToSequence", 11, latest, splitSequence},
      {"", "Optional", 15, latest, optional},
      {"", "OptionalHasElement", 15, latest, hasElement},
      {"", "OptionalGetElement", 15, latest, getElement},
  };
  return table;
}

} // namespace cuvil::onnx
