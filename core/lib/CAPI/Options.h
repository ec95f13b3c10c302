// SPDX-License-Identifier: Apache-2.0
// Compile options: known keys, checked values.
#ifndef CUVIL_LIB_CAPI_OPTIONS_H
#define CUVIL_LIB_CAPI_OPTIONS_H

#include "cuvil/Runtime/Status.h"
#include <map>
#include <vector>

namespace cuvil {

/// Options by key. Keys of the importer contain a ':' ("input_shape:x").
class CompileOptions {
public:
  /// Unknown keys and bad values are errors that list what there is.
  static StatusOr<CompileOptions> parse(const cuvil_options *given);

  /// The value, or `fallback`.
  std::string get(const std::string &key,
                  const std::string &fallback = "") const {
    auto it = values.find(key);
    return it == values.end() ? fallback : it->second;
  }
  bool isOn(const std::string &key, bool fallback = false) const {
    return get(key, fallback ? "1" : "0") == "1";
  }
  unsigned threads() const { return std::stoul(get("threads", "0")); }
  const std::map<std::string, std::string> &all() const { return values; }

private:
  std::map<std::string, std::string> values;
};

} // namespace cuvil

#endif // CUVIL_LIB_CAPI_OPTIONS_H
