/* SPDX-License-Identifier: Apache-2.0 */
/* The stable C API: compile, load and run models. What Python, servers and
 * C++ programs bind to. Conventions are those of plugin.h: a NULL status is
 * success, a status is released with cuvil_status_release. */
#ifndef CUVIL_C_API_H
#define CUVIL_C_API_H

#include "cuvil/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuvil_ir_t cuvil_ir;             /* an imported model          */
typedef struct cuvil_compiled_t cuvil_compiled; /* a model ready to run       */

/*--- Version and status ----------------------------------------------------*/

CUVIL_EXPORT const char *cuvil_version(void);
CUVIL_EXPORT int32_t cuvil_status_code(const cuvil_status *);
/* Stable name of a code, e.g. "INVALID_MODEL". */
CUVIL_EXPORT const char *cuvil_status_code_name(int32_t code);
CUVIL_EXPORT const char *cuvil_status_message(const cuvil_status *);
CUVIL_EXPORT const char *cuvil_status_where(const cuvil_status *); /* "" = unknown */
CUVIL_EXPORT const char *cuvil_status_hint(const cuvil_status *);  /* "" = none */
CUVIL_EXPORT void cuvil_status_release(cuvil_status *);

/*--- Plugins and devices ---------------------------------------------------*/

/* Loads the plugin whose manifest (a plugin.json file or its folder) is
 * given; it wins over discovered ones of the same id. */
CUVIL_EXPORT cuvil_status *cuvil_load_plugin(const char *manifest_path);
/* Adds a folder or manifest to the discovered places (used for Python entry
 * points). `origin` is shown to the user. */
CUVIL_EXPORT void cuvil_add_plugin_path(const char *path, const char *origin);
/* JSON, released with cuvil_free. Answered from manifests alone unless
 * `probe` is set, which loads plugins to ask for arch, memory and score.
 * {"devices": [...], "formats": [...], "plugins": [...], "rejected": [{"path", "reason"}],
 *  "searched": [...]} */
CUVIL_EXPORT cuvil_status *cuvil_plugins_json(int32_t probe, char **out);
CUVIL_EXPORT void cuvil_free(void *);

/*--- Import and graph building ---------------------------------------------*/

/* A tensor's name, type and dims; text lives as long as the IR or model. */
typedef struct cuvil_tensor_info {
  size_t struct_size;
  const char *name;
  cuvil_dtype dtype;
  int32_t rank;
  const int64_t *sizes;         /* -1 where symbolic */
  const char *const *dims;      /* expressions as text, e.g. "batch", "2*h+1" */
} cuvil_tensor_info;
enum { CUVIL_TENSOR_INPUTS = 0, CUVIL_TENSOR_OUTPUTS = 1 };

/* Imports by the frontend that is surest of the bytes (or `format`, if not
 * NULL). Options reach the frontend, e.g. "input_shape:x" = "1,3,224,224". */
CUVIL_EXPORT cuvil_status *cuvil_import(const cuvil_model_source *, const char *format,
                                        const cuvil_options *, cuvil_ir **out);
/* Textual Cuvil-IR. */
CUVIL_EXPORT cuvil_status *cuvil_ir_parse(const char *text, size_t size, cuvil_ir **out);
/* Graphs by hand: create, use the builder through the table, finish. */
CUVIL_EXPORT cuvil_status *cuvil_ir_create(const cuvil_options *, cuvil_ir **out);
CUVIL_EXPORT cuvil_builder *cuvil_ir_builder(cuvil_ir *);
CUVIL_EXPORT cuvil_status *cuvil_get_builder_api(const cuvil_builder_api **out);
CUVIL_EXPORT cuvil_status *cuvil_ir_finish(cuvil_ir *);
CUVIL_EXPORT const char *cuvil_ir_print(cuvil_ir *);
CUVIL_EXPORT cuvil_status *cuvil_ir_tensor(cuvil_ir *, const char *name, cuvil_tensor_info *out);
CUVIL_EXPORT size_t cuvil_ir_num_tensors(cuvil_ir *, int32_t which);
CUVIL_EXPORT cuvil_status *cuvil_ir_tensor_at(cuvil_ir *, int32_t which, size_t i,
                                              cuvil_tensor_info *out);
CUVIL_EXPORT void cuvil_ir_destroy(cuvil_ir *);

/*--- Compile ---------------------------------------------------------------*/

/* Called at each stage with its name and the seconds the last one took;
 * a non-zero return cancels. */
typedef int32_t (*cuvil_progress_fn)(void *state, const char *stage, double seconds);

/* `device` is a device string ("cpu", "cuda:0,cpu", "auto", ...). Options:
 *   strict        "1" = fallback is an error
 *   threads       worker threads incl. the caller (0 = by affinity and quota)
 *   fusion        "0" = one op per kernel, nothing folded
 *   static_batch  "1" = offsets fixed now, calls allocate nothing
 *   precision     "fp32" (default), ...
 *   mode          execution mode of the device plugin (backend=)
 *   cache         "0" = neither read nor write the compile cache
 *   isa           caps the x86 target
 * An unknown key is an error that lists the known ones. The IR stays
 * as it is and can be compiled again. */
CUVIL_EXPORT cuvil_status *cuvil_compile_ir(cuvil_ir *, const char *device,
                                            const cuvil_options *, cuvil_progress_fn,
                                            void *progress_state, cuvil_compiled **out);
/* Import + compile, answered from the cache when the model's bytes, options,
 * plugins and target are known; then the compiler library stays closed. */
CUVIL_EXPORT cuvil_status *cuvil_compile(const cuvil_model_source *, const char *format,
                                         const char *device, const cuvil_options *,
                                         cuvil_progress_fn, void *progress_state,
                                         cuvil_compiled **out);
CUVIL_EXPORT void cuvil_compiled_destroy(cuvil_compiled *);

CUVIL_EXPORT size_t cuvil_num_inputs(const cuvil_compiled *);
CUVIL_EXPORT size_t cuvil_num_outputs(const cuvil_compiled *);
CUVIL_EXPORT cuvil_status *cuvil_input_info(const cuvil_compiled *, size_t i, cuvil_tensor_info *);
CUVIL_EXPORT cuvil_status *cuvil_output_info(const cuvil_compiled *, size_t i, cuvil_tensor_info *);
/* JSON: placement of every op with reasons, steps, buffers, cache, timings.
 * Borrowed. */
CUVIL_EXPORT const char *cuvil_report(const cuvil_compiled *);

/*--- Run -------------------------------------------------------------------*/

/* One output. With tensor.data set, its shape must be the result's and the
 * result is written there; with NULL the runtime allocates (64-byte aligned)
 * and fills tensor; the caller then owns it and calls release(owner). */
typedef struct cuvil_output {
  size_t struct_size;
  cuvil_dl_tensor tensor;
  void *owner;
  void (*release)(void *owner);
} cuvil_output;

/* Runs once. Inputs are borrowed for the call; strided ones are copied,
 * compact and aligned ones are not. May be called from many threads at once.
 * Errors name the input, what was expected and what was given. */
CUVIL_EXPORT cuvil_status *cuvil_run(cuvil_compiled *, const cuvil_dl_tensor *const *inputs,
                                     size_t num_inputs, cuvil_output *outputs,
                                     size_t num_outputs);
/* As cuvil_run on a runtime thread; `on_complete` is called once from there
 * and owns the status. Inputs and outputs must stay valid until then. */
typedef void (*cuvil_complete_fn)(void *state, cuvil_status *status);
CUVIL_EXPORT cuvil_status *cuvil_submit(cuvil_compiled *, const cuvil_dl_tensor *const *inputs,
                                        size_t num_inputs, cuvil_output *outputs,
                                        size_t num_outputs, cuvil_complete_fn on_complete,
                                        void *state);
/* JSON per-step times of one instrumented run (for `cuv bench`, reports). */
CUVIL_EXPORT cuvil_status *cuvil_profile(cuvil_compiled *, const cuvil_dl_tensor *const *inputs,
                                         size_t num_inputs, char **json);

#ifdef __cplusplus
}
#endif
#endif /* CUVIL_C_API_H */
