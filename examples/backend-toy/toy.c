/* SPDX-License-Identifier: Apache-2.0 */
/* A whole backend in one C file: f32 add, sub and mul on the device "toy".
 *
 *   cc -shared -fPIC -I<cuvil>/include toy.c -o libtoy.so */
#include "cuvil/plugin.h"
#include <string.h>

#define MAX_VALUES 256
#define MAX_RANK 8
#define MAX_DIM_CODE 60
#define MAX_CODE 512

static const cuvil_host *host;

/*--- Kernels: one tile does everything; sizes[0] is the element count ------*/

#define KERNEL(NAME, EXPRESSION)                                               \
  static int32_t NAME(const cuvil_kernel_args *args, int64_t begin,            \
                      int64_t end) {                                           \
    const float *a = args->buffers[0], *b = args->buffers[1];                  \
    float *y = args->buffers[2];                                               \
    (void)begin, (void)end;                                                    \
    for (int64_t i = 0; i < args->sizes[0]; ++i)                               \
      y[i] = EXPRESSION;                                                       \
    return CUVIL_OK;                                                           \
  }
KERNEL(toy_add, a[i] + b[i])
KERNEL(toy_sub, a[i] - b[i])
KERNEL(toy_mul, a[i] * b[i])

static const struct {
  const char *kind;
  cuvil_kernel_fn function;
} kernels[] = {{"add", toy_add}, {"sub", toy_sub}, {"mul", toy_mul}};

/* The kernel of an op, or NULL with the reason why there is none. */
static cuvil_kernel_fn find_kernel(cuvil_op op, const char **reason) {
  const cuvil_graph_api *g = host->graph;
  cuvil_attr kind = {.struct_size = sizeof kind};
  *reason = "only elementwise add, sub and mul are built";
  if (strcmp(g->op_name(op), "cuvil.binary") != 0 ||
      !g->find_attr(op, "kind", &kind))
    return NULL;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i) {
    if (strcmp(kind.s, kernels[i].kind) != 0)
      continue;
    *reason = "only f32 of rank 8 or less is built";
    cuvil_value y = g->result(op, 0);
    return g->dtype(y) == CUVIL_F32 && g->rank(y) <= MAX_RANK
               ? kernels[i].function
               : NULL;
  }
  return NULL;
}

/*--- Capability ------------------------------------------------------------*/

static cuvil_status *get_capability(void *state, const cuvil_graph *graph,
                                    const cuvil_options *options,
                                    const cuvil_capability_sink *sink) {
  (void)state, (void)options;
  for (size_t i = 0; i < host->graph->num_ops(graph); ++i) {
    cuvil_op op = host->graph->op(graph, i);
    const char *reason;
    if (find_kernel(op, &reason))
      sink->accept(sink->state, op);
    else
      sink->refuse(sink->state, op, reason);
  }
  return NULL;
}

/*--- Compilation: one step per op ------------------------------------------*/

/* A part's ops come grouped into regions (cuvil.fusion), which an optimising
 * backend compiles as one kernel each. The toy walks into them. */

typedef struct {
  const cuvil_graph *graph;
  cuvil_program *program;
  cuvil_value values[MAX_VALUES];
  uint32_t buffers[MAX_VALUES];
  size_t count;
} state_t;

static cuvil_status *bind(state_t *s, cuvil_value value, uint32_t buffer) {
  if (s->count == MAX_VALUES)
    return host->status_create(CUVIL_UNSUPPORTED,
                               "toy: the graph is too large");
  s->values[s->count] = value;
  s->buffers[s->count++] = buffer;
  return NULL;
}

static cuvil_status *add_buffer(state_t *s, cuvil_value value, int32_t kind,
                                int64_t index) {
  const cuvil_graph_api *g = host->graph;
  int64_t code[MAX_RANK][MAX_DIM_CODE];
  cuvil_expr dims[MAX_RANK];
  size_t rank = g->rank(value);
  if (rank > MAX_RANK)
    return host->status_create(CUVIL_UNSUPPORTED, "toy: the rank is too large");
  for (size_t d = 0; d < rank; ++d) {
    dims[d].code = code[d];
    dims[d].size =
        g->dim_code(s->graph, g->dim(value, d), code[d], MAX_DIM_CODE);
    if (dims[d].size > MAX_DIM_CODE)
      return host->status_create(CUVIL_UNSUPPORTED,
                                 "toy: a size is too complex");
  }
  cuvil_buffer_desc desc = {.struct_size = sizeof desc,
                            .kind = kind,
                            .dtype = g->dtype(value),
                            .index = index,
                            .dims = dims,
                            .rank = rank,
                            .name = g->value_name(value)};
  return bind(s, value, host->program->add_buffer(s->program, &desc));
}

static int find_buffer(const state_t *s, cuvil_value value, uint32_t *out) {
  for (size_t i = 0; i < s->count; ++i)
    if (s->values[i] == value) {
      *out = s->buffers[i];
      return 1;
    }
  return 0;
}

/* Symbols are numbered as in the graph; each is a dim of some argument. */
static cuvil_status *add_symbols(state_t *s) {
  const cuvil_graph_api *g = host->graph;
  for (size_t i = 0; i < g->num_symbols(s->graph); ++i) {
    int found = 0;
    for (size_t a = 0; a < g->num_inputs(s->graph) && !found; ++a)
      for (size_t d = 0; d < g->rank(g->input(s->graph, a)) && !found; ++d) {
        int64_t code[2];
        cuvil_dim dim = g->dim(g->input(s->graph, a), d);
        found = g->dim_code(s->graph, dim, code, 2) == 2 &&
                code[0] == CUVIL_DIM_SYM && code[1] == (int64_t)i;
        if (found)
          host->program->add_symbol(s->program, g->symbol_name(s->graph, i), a,
                                    d);
      }
    if (!found)
      return host->status_create(CUVIL_UNSUPPORTED,
                                 "toy: a size is no argument's");
  }
  return NULL;
}

/* The buffer of a value that is about to be written. */
static cuvil_status *get_buffer(state_t *s, cuvil_value value, uint32_t *out) {
  cuvil_status *status = NULL;
  if (!find_buffer(s, value, out)) {
    status = add_buffer(s, value, CUVIL_BUFFER_TEMPORARY, -1);
    *out = status ? 0 : s->buffers[s->count - 1];
  }
  return status;
}

static cuvil_status *add_op(state_t *s, cuvil_op op);

/* A region's arguments stand for the op's operands, its outputs for the
 * op's results: they share their buffers. */
static cuvil_status *add_region(state_t *s, cuvil_op op) {
  const cuvil_graph_api *g = host->graph;
  const cuvil_graph *body = g->region(op, 0);
  cuvil_status *status = NULL;
  uint32_t buffer;
  for (size_t i = 0; !status && i < g->num_inputs(body); ++i)
    status =
        find_buffer(s, g->operand(op, i), &buffer)
            ? bind(s, g->input(body, i), buffer)
            : host->status_create(CUVIL_UNSUPPORTED, "toy: unknown operand");
  for (size_t i = 0; !status && i < g->num_outputs(body); ++i) {
    status = get_buffer(s, g->result(op, i), &buffer);
    if (!status)
      status = bind(s, g->output(body, i), buffer);
  }
  for (size_t i = 0; !status && i < g->num_ops(body); ++i)
    status = add_op(s, g->op(body, i));
  return status;
}

static cuvil_status *add_op(state_t *s, cuvil_op op) {
  const cuvil_graph_api *g = host->graph;
  if (strcmp(g->op_name(op), "cuvil.fusion") == 0)
    return add_region(s, op);
  const char *reason;
  cuvil_kernel_fn kernel = find_kernel(op, &reason);
  uint32_t buffers[3];
  if (!kernel || !find_buffer(s, g->operand(op, 0), &buffers[0]) ||
      !find_buffer(s, g->operand(op, 1), &buffers[1]))
    return host->status_create(CUVIL_UNSUPPORTED,
                               kernel ? "toy: unknown operand" : reason);
  cuvil_value y = g->result(op, 0);
  cuvil_status *status = get_buffer(s, y, &buffers[2]);
  if (status)
    return status;
  /* Element count: the dims' product in postfix form. */
  int64_t code[MAX_CODE] = {CUVIL_DIM_CONST, 1}, one[] = {CUVIL_DIM_CONST, 1};
  size_t size = 2;
  for (size_t d = 0; d < g->rank(y); ++d) {
    size += g->dim_code(s->graph, g->dim(y, d), code + size, MAX_DIM_CODE);
    code[size++] = CUVIL_DIM_MUL;
  }
  cuvil_expr elements = {code, size}, tiles = {one, 2};
  cuvil_step_desc step = {
      .struct_size = sizeof step,
      .kind = CUVIL_STEP_CALL,
      .kernel = host->program->add_kernel(s->program, "toy", kernel),
      .num_writes = 1,
      .buffers = buffers,
      .num_buffers = 3,
      .sizes = &elements,
      .num_sizes = 1,
      .tiles = tiles,
      .location = g->op_location(op),
      .label = "toy",
      .flops = elements};
  return host->program->add_step(s->program, 1, &step);
}

static cuvil_status *compile_one(state_t *s) {
  const cuvil_graph_api *g = host->graph;
  cuvil_status *status = add_symbols(s);
  for (size_t i = 0; !status && i < g->num_inputs(s->graph); ++i)
    status = add_buffer(s, g->input(s->graph, i), CUVIL_BUFFER_ARGUMENT, i);
  for (size_t i = 0; !status && i < g->num_outputs(s->graph); ++i)
    status = add_buffer(s, g->output(s->graph, i), CUVIL_BUFFER_RESULT, i);
  for (size_t i = 0; !status && i < g->num_ops(s->graph); ++i)
    status = add_op(s, g->op(s->graph, i));
  return status;
}

static void compile(void *state, const cuvil_graph *const *graphs, size_t n,
                    const cuvil_options *options,
                    cuvil_compile_result *results) {
  (void)state, (void)options;
  for (size_t i = 0; i < n; ++i) {
    state_t s = {.graph = graphs[i], .program = host->program->create()};
    results[i].status = compile_one(&s);
    if (results[i].status)
      host->program->destroy(s.program);
    else
      results[i].program = s.program;
  }
}

/*--- Devices and registration ----------------------------------------------*/

static size_t devices(void *state, cuvil_device_info *out, size_t capacity) {
  (void)state;
  if (capacity) {
    out->name = "toy";
    out->arch = "any";
    out->dtypes = UINT64_C(1) << CUVIL_F32;
  }
  return 1;
}

static const char *compatibility(void *state, const cuvil_options *options) {
  (void)state, (void)options;
  return "toy 1";
}

static cuvil_status *initialize(const cuvil_host *given,
                                const cuvil_registrar *registrar) {
  static const cuvil_backend backend = {.struct_size = sizeof backend,
                                        .device = "toy",
                                        .devices = devices,
                                        .get_capability = get_capability,
                                        .compile = compile,
                                        .compatibility = compatibility};
  host = given;
  return registrar->add_backend(registrar->state, &backend);
}

CUVIL_PLUGIN("example.toy", "1.0.0", "Apache-2.0", CUVIL_BACKEND, initialize,
             NULL)
