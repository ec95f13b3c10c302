// SPDX-License-Identifier: Apache-2.0
// Parses the options of a compilation.
#include "Options.h"
#include "cuvil/Runtime/StructCopy.h"
#include <algorithm>

namespace cuvil {
namespace {

constexpr const char *kSwitches[] = {"strict", "fusion", "static_batch",
                                     "cache"};
constexpr const char *kTexts[] = {"threads", "precision", "mode", "isa"};

bool isOneOf(const std::string &key, const char *const *begin,
             const char *const *end) {
  return std::any_of(begin, end, [&](const char *k) { return key == k; });
}

Status checkValue(const std::string &key, const std::string &value) {
  auto bad = [&](const std::string &expected) {
    return Status(CUVIL_INVALID_ARGUMENT,
                  "option '" + key + "': expected " + expected + ", got '" +
                      value + "'",
                  key);
  };
  if (isOneOf(key, std::begin(kSwitches), std::end(kSwitches)))
    return value == "0" || value == "1" ? Status() : bad("0 or 1");
  if (key == "threads") {
    bool number = !value.empty() && value.size() <= 4 &&
                  value.find_first_not_of("0123456789") == std::string::npos;
    return number ? Status() : bad("a number of threads from 0 to 9999");
  }
  if (key == "precision" && value != "fp32")
    return Status(CUVIL_UNSUPPORTED,
                  "precision '" + value + "' is not available; available: fp32",
                  key);
  return {};
}

} // namespace

StatusOr<CompileOptions> CompileOptions::parse(const cuvil_options *given) {
  CompileOptions result;
  if (!given)
    return result;
  cuvil_options options = zeroExtended(*given);
  for (size_t i = 0; i < options.count; ++i) {
    std::string key = options.keys[i];
    std::string value = options.values[i] ? options.values[i] : "";
    bool known = isOneOf(key, std::begin(kSwitches), std::end(kSwitches)) ||
                 isOneOf(key, std::begin(kTexts), std::end(kTexts)) ||
                 key.find(':') != std::string::npos;
    if (!known) {
      std::string list;
      for (const char *name : kSwitches)
        list += (list.empty() ? "" : ", ") + std::string(name);
      for (const char *name : kTexts)
        list += ", " + std::string(name);
      return Status(CUVIL_INVALID_ARGUMENT,
                    "unknown option '" + key + "'; known options: " + list +
                        ", and those of the importer, e.g. input_shape:NAME",
                    key);
    }
    if (Status s = checkValue(key, value); s.failed())
      return s;
    result.values[key] = value;
  }
  return result;
}

} // namespace cuvil
