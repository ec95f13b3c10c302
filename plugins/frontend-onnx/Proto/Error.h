// SPDX-License-Identifier: Apache-2.0
// The one exception type used inside the ONNX frontend and its text helpers.
#ifndef CUVIL_FRONTEND_ONNX_PROTO_ERROR_H
#define CUVIL_FRONTEND_ONNX_PROTO_ERROR_H

#include <stdexcept>
#include <string>
#include <string_view>

namespace cuvil::onnx {

/// A problem with the model that its user has to know about. It never leaves
/// the plugin: the C entry points turn it into a status.
class ImportError : public std::runtime_error {
public:
  /// Whether the file is at fault, or is right but not supported.
  enum Kind { Invalid, Unsupported };

  explicit ImportError(const std::string &message, Kind kind = Invalid)
      : std::runtime_error(message), problem(kind) {}
  Kind kind() const { return problem; }

private:
  Kind problem;
};

/// The concatenation of `parts`, numbers in decimal.
template <typename... Parts> std::string joined(const Parts &...parts) {
  std::string text;
  auto append = [&text](const auto &part) {
    using T = std::decay_t<decltype(part)>;
    if constexpr (std::is_arithmetic_v<T>)
      text += std::to_string(part);
    else
      text += part;
  };
  (append(parts), ...);
  return text;
}

/// Throws an ImportError for an invalid model, with the joined parts.
template <typename... Parts> [[noreturn]] void fail(const Parts &...parts) {
  throw ImportError(joined(parts...));
}

/// `name` in quotes, with unprintable bytes escaped and a bounded length, so
/// that a hostile file cannot disturb a terminal or a log.
std::string quoted(std::string_view name);

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_PROTO_ERROR_H
