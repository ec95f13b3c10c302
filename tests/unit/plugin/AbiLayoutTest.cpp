// SPDX-License-Identifier: Apache-2.0
// Freezes the layout of the plugin ABI: a mismatch does not compile.
#include "cuvil/plugin.h"

#define SIZE(type, bytes)                                                      \
  static_assert(sizeof(type) >= bytes, "shrunk: " #type);
#define FIELD(type, field, bytes)                                              \
  static_assert(offsetof(type, field) == bytes, "moved: " #type "." #field);
#define VALUE(name, number)                                                    \
  static_assert(int(name) == number, "renumbered: " #name);
#include "AbiLayout.inc"

static_assert(CUVIL_ABI_MAJOR == 1, "a new major version needs a new table");
