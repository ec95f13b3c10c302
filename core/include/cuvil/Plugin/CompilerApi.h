/* SPDX-License-Identifier: Apache-2.0 */
/* What libcuvil-compiler.so offers to libcuvil.so: one table behind one symbol.
 * Internal to the two libraries of one build; not part of the plugin ABI. */
#ifndef CUVIL_PLUGIN_COMPILERAPI_H
#define CUVIL_PLUGIN_COMPILERAPI_H

#include "cuvil/c_api.h"
#include "cuvil/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device that a compilation may place ops on. */
typedef struct cuvil_target {
  size_t struct_size;
  const char *device; /* e.g. "cpu", "cuda:0" */
  const char *plugin; /* id of the plugin that brings it */
  const cuvil_backend *backend;
} cuvil_target;

typedef struct cuvil_compiler_api {
  size_t struct_size;
  /* LLVM version and build of the MLIR library that is open. */
  const char *fingerprint;
  const cuvil_graph_api *graph;
  const cuvil_builder_api *builder;

  /* An empty module with a builder on it. `options` are what
   * cuvil_builder_api.option answers from. */
  cuvil_status *(*ir_create)(const cuvil_options *, cuvil_ir **out);
  cuvil_builder *(*ir_builder)(cuvil_ir *);
  /* Ends building: verifies the module. */
  cuvil_status *(*ir_finish)(cuvil_ir *);
  cuvil_status *(*ir_parse)(const char *text, size_t size, cuvil_ir **out);
  /* Text of the module; borrowed until the next call on this IR. */
  const char *(*ir_print)(cuvil_ir *);
  /* Inputs, outputs and named values; see cuvil_ir_tensor_info. */
  cuvil_status *(*ir_tensor)(cuvil_ir *, const char *name, cuvil_tensor_info *out);
  size_t (*ir_num_tensors)(cuvil_ir *, int32_t which);
  cuvil_status *(*ir_tensor_at)(cuvil_ir *, int32_t which, size_t i, cuvil_tensor_info *out);
  void (*ir_destroy)(cuvil_ir *);

  /* Runs the pipeline on a copy of the module for devices in falling priority. On success `program` is owned
   * by the caller and `report` (JSON) is released by the host's deallocate. */
  cuvil_status *(*compile)(cuvil_ir *, const cuvil_target *targets, size_t num_targets,
                           const cuvil_options *, cuvil_progress_fn progress,
                           void *progress_state, cuvil_program **program, char **report);
} cuvil_compiler_api;

typedef const cuvil_compiler_api *(*cuvil_compiler_query_fn)(const cuvil_host *host);
#define CUVIL_COMPILER_SYMBOL "cuvil_compiler_query"

#ifdef __cplusplus
}
#endif
#endif /* CUVIL_PLUGIN_COMPILERAPI_H */
