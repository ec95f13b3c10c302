/* SPDX-License-Identifier: Apache-2.0 */
/* The stable C plugin ABI: what a frontend, backend, pass or rule plugin sees.
 *
 * Pure C11; needs only stdint and stddef. Conventions that hold everywhere:
 *  - `struct_size` comes first in every struct that crosses the boundary; a
 *    member is read only if it lies inside it and is not NULL (0). Members are
 *    only ever appended; unknown enum values are legal and must be tolerated.
 *  - A `cuvil_status *` of NULL means success. Statuses are made by the host;
 *    the receiver releases them through `cuvil_host.status_release`.
 *  - Strings are NUL-terminated UTF-8. Unless a line says otherwise a returned
 *    pointer is borrowed and lives as long as the object it was asked of.
 *  - No exception may leave a plugin function. No function keeps state per
 *    thread. `initialize` runs once under the loader's lock; all other entry
 *    points may be called from any thread, concurrently on distinct objects.
 */
#ifndef CUVIL_PLUGIN_H
#define CUVIL_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUVIL_ABI_MAJOR 1u
#define CUVIL_ABI_MINOR 0u

#if defined(__GNUC__)
#define CUVIL_EXPORT __attribute__((visibility("default")))
#else
#define CUVIL_EXPORT
#endif

/*--- Status ----------------------------------------------------------------*/

typedef struct cuvil_status cuvil_status;

/* Canonical codes; pick the first that fits. */
enum {
  CUVIL_OK = 0,
  CUVIL_INVALID_ARGUMENT = 1,  /* the caller's value is wrong by itself     */
  CUVIL_INVALID_MODEL = 2,     /* a model, rule or artefact is malformed    */
  CUVIL_UNSUPPORTED = 3,       /* well-formed, but not built                */
  CUVIL_NOT_FOUND = 4,         /* device, plugin, file or name unknown      */
  CUVIL_OUT_OF_RANGE = 5,      /* an index computed at run time is outside  */
  CUVIL_RESOURCE_EXHAUSTED = 6,/* memory, file handles, limits              */
  CUVIL_FAILED_PRECONDITION = 7,/* object not in the needed state           */
  CUVIL_PERMISSION_DENIED = 8,
  CUVIL_IO_ERROR = 9,
  CUVIL_CANCELLED = 10,
  CUVIL_DEADLINE_EXCEEDED = 11,
  CUVIL_INCOMPATIBLE = 12,     /* version, target or fingerprint mismatch   */
  CUVIL_PLUGIN_FAILURE = 13,   /* a plugin broke its contract               */
  CUVIL_ARITHMETIC = 14,       /* integer division by zero and the like     */
  CUVIL_INTERNAL = 15
};

/*--- Elements and tensors --------------------------------------------------*/

/* Element types of Cuvil-IR. */
enum {
  CUVIL_DTYPE_NONE = 0,
  CUVIL_BOOL = 1,
  CUVIL_I8 = 2,
  CUVIL_I16 = 3,
  CUVIL_I32 = 4,
  CUVIL_I64 = 5,
  CUVIL_U8 = 6,
  CUVIL_U16 = 7,
  CUVIL_U32 = 8,
  CUVIL_U64 = 9,
  CUVIL_F16 = 10,
  CUVIL_BF16 = 11,
  CUVIL_F32 = 12,
  CUVIL_F64 = 13
};
typedef int32_t cuvil_dtype;

/* DLPack 1.x tensor view, layout as published by the DLPack project. */
typedef struct {
  int32_t device_type; /* kDLCPU = 1, kDLCUDA = 2, kDLROCM = 10 */
  int32_t device_id;
} cuvil_dl_device;
typedef struct {
  uint8_t code; /* int 0, uint 1, float 2, bfloat 4, bool 6 */
  uint8_t bits;
  uint16_t lanes;
} cuvil_dl_dtype;
typedef struct {
  void *data;
  cuvil_dl_device device;
  int32_t ndim;
  cuvil_dl_dtype dtype;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL = compact row-major */
  uint64_t byte_offset;
} cuvil_dl_tensor;

/*--- Dimension expressions -------------------------------------------------*/

/* A dimension: an integer expression over named symbols, interned per graph.
 * Equal pointers mean provably equal sizes. */
typedef const struct cuvil_dim_t *cuvil_dim;

/* Expression operators, also the tokens of the postfix form (negative values
 * below CUVIL_DIM_OPCODE_BASE never occur as plain integers there: a constant
 * is written CUVIL_DIM_CONST, value; a symbol CUVIL_DIM_SYM, index). */
enum {
  CUVIL_DIM_CONST = 0,
  CUVIL_DIM_SYM = 1,
  CUVIL_DIM_ADD = 2,
  CUVIL_DIM_MUL = 3,
  CUVIL_DIM_FLOORDIV = 4,
  CUVIL_DIM_CEILDIV = 5,
  CUVIL_DIM_MOD = 6, /* result has the sign of the divisor */
  CUVIL_DIM_MIN = 7,
  CUVIL_DIM_MAX = 8,
  CUVIL_DIM_BCAST = 9, /* bcast(a, b) = a == 1 ? b : a */
  CUVIL_DIM_SELECT = 10 /* select(c, a, b) = c > 0 ? a : b, pushed c, a, b */
};

/*--- Attributes ------------------------------------------------------------*/

enum {
  CUVIL_ATTR_NONE = 0,
  CUVIL_ATTR_INT = 1,
  CUVIL_ATTR_FLOAT = 2,
  CUVIL_ATTR_BOOL = 3,
  CUVIL_ATTR_STRING = 4,
  CUVIL_ATTR_INTS = 5,
  CUVIL_ATTR_FLOATS = 6,
  CUVIL_ATTR_DIMS = 7,
  CUVIL_ATTR_DTYPE = 8,
  CUVIL_ATTR_STRINGS = 9
};

/* One named attribute value. Arrays are borrowed for the call when passed in,
 * and live as long as the op when read. */
typedef struct cuvil_attr {
  size_t struct_size;
  const char *name;
  int32_t kind;
  int32_t reserved;
  int64_t i;      /* INT, BOOL, DTYPE */
  double f;       /* FLOAT */
  const char *s;  /* STRING */
  size_t count;   /* INTS, FLOATS, DIMS, STRINGS */
  const int64_t *ints;
  const double *floats;
  const cuvil_dim *dims;
  const char *const *strings;
} cuvil_attr;

/*--- Graphs: read-only view ------------------------------------------------*/

typedef struct cuvil_graph_t cuvil_graph;    /* a function or region body    */
typedef struct cuvil_op_t *cuvil_op;
typedef struct cuvil_value_t *cuvil_value;

typedef struct cuvil_graph_api {
  size_t struct_size;

  /* Graph. Ops come in execution order; nested regions are reached through
   * their op. Every handle is valid only during the call that handed out the
   * graph: copy names, do not keep pointers. */
  size_t (*num_inputs)(const cuvil_graph *);
  cuvil_value (*input)(const cuvil_graph *, size_t i);
  size_t (*num_outputs)(const cuvil_graph *);
  cuvil_value (*output)(const cuvil_graph *, size_t i);
  size_t (*num_ops)(const cuvil_graph *);
  cuvil_op (*op)(const cuvil_graph *, size_t i);

  /* Op. `name` is the IR name, e.g. "cuvil.conv"; `label` the rule's name of
   * a fusion region or ""; `location` the place in the user's model. */
  const char *(*op_name)(cuvil_op);
  const char *(*op_label)(cuvil_op);
  const char *(*op_location)(cuvil_op);
  size_t (*num_operands)(cuvil_op);
  cuvil_value (*operand)(cuvil_op, size_t i); /* NULL = optional and absent */
  size_t (*num_results)(cuvil_op);
  cuvil_value (*result)(cuvil_op, size_t i);
  size_t (*num_regions)(cuvil_op);
  const cuvil_graph *(*region)(cuvil_op, size_t i);
  size_t (*num_attrs)(cuvil_op);
  void (*attr)(cuvil_op, size_t i, cuvil_attr *out);
  int32_t (*find_attr)(cuvil_op, const char *name, cuvil_attr *out); /* 1 = found */

  /* Value. */
  cuvil_dtype (*dtype)(cuvil_value);
  size_t (*rank)(cuvil_value);
  cuvil_dim (*dim)(cuvil_value, size_t i);
  const char *(*value_name)(cuvil_value);
  cuvil_op (*producer)(cuvil_value); /* NULL for inputs and region arguments */
  /* 1 when the value is a constant; the view borrows the bytes. */
  int32_t (*constant)(cuvil_value, cuvil_dl_tensor *out);
  /* Keeps a constant's bytes alive after the call; released by the second. */
  void *(*retain_constant)(cuvil_value);
  void (*release_constant)(void *);

  /* Dimensions. `dim_code` writes the postfix form and returns its length
   * (which may exceed `capacity`; then nothing is written). Symbols are
   * numbered by `symbol_name` of the same graph. */
  int32_t (*dim_constant)(cuvil_dim, int64_t *out); /* 1 = a constant */
  size_t (*dim_code)(const cuvil_graph *, cuvil_dim, int64_t *code, size_t capacity);
  const char *(*dim_string)(const cuvil_graph *, cuvil_dim);
  size_t (*num_symbols)(const cuvil_graph *);
  const char *(*symbol_name)(const cuvil_graph *, size_t i);

  /* The MLIR operation behind a graph or op (plane B; NULL unless the
   * plugin's fingerprint equals the host's), as the `ptr` of an MlirOperation. */
  void *(*mlir_graph)(const cuvil_graph *);
  void *(*mlir_op)(cuvil_op);
} cuvil_graph_api;

/*--- Graphs: builder -------------------------------------------------------*/

typedef struct cuvil_builder_t cuvil_builder;

/* A constant whose bytes stay with their owner. `release(owner)` is called
 * once when nothing refers to the bytes any more; `owner` may be NULL. When
 * `file` is not NULL the bytes are also found at `file_offset` of that file,
 * which lets a compiled model refer to them instead of holding them. */
typedef struct cuvil_constant {
  size_t struct_size;
  cuvil_dl_tensor tensor; /* compact, row-major, CPU */
  void *owner;
  void (*release)(void *owner);
  const char *name;
  const char *file;
  uint64_t file_offset;
} cuvil_constant;

typedef struct cuvil_builder_api {
  size_t struct_size;

  /* The place in the user's model that ops made from now on belong to. */
  void (*set_location)(cuvil_builder *, const char *location);

  /* Graph arguments and results, in order. `dims` may use any expression;
   * each symbol must occur alone as one dimension of some argument. */
  cuvil_status *(*add_input)(cuvil_builder *, const char *name, cuvil_dtype,
                             const cuvil_dim *dims, size_t rank, cuvil_value *out);
  cuvil_status *(*add_output)(cuvil_builder *, const char *name, cuvil_value);

  /* Constants. Up to 1 KiB the bytes are copied into the IR (and `release` is
   * called at once); larger ones are referred to. */
  cuvil_status *(*add_constant)(cuvil_builder *, const cuvil_constant *, cuvil_value *out);

  /* Adds `name` ("cuvil.add" or just "add"). Operands are positional as the
   * op's documentation lists them, NULL = absent optional operand (trailing
   * ones may be left out). Result types are inferred. Writes num_results
   * results. Errors name the op, its location and the violated constraint. */
  cuvil_status *(*add_op)(cuvil_builder *, const char *name,
                          const cuvil_value *operands, size_t num_operands,
                          const cuvil_attr *attrs, size_t num_attrs,
                          cuvil_value *results, size_t num_results);

  /* Control flow. `begin_if` opens the first branch, `next_region` closes it
   * with its yields and opens the second, `end_region_op` closes that one and
   * yields the op's results. While: `begin_while` opens the condition region,
   * whose arguments stand for the carried values; `next_region` takes the
   * condition as yields[0] followed by the values passed on to the body, and
   * writes the body's arguments. Ops inside may use any value of the
   * enclosing graph. `varying` says per carried value which dims change from
   * one iteration to the next (bit d = dim d; NULL = none). When the body's
   * yields show that more of them do, end_region_op fails with
   * CUVIL_FAILED_PRECONDITION, drops the whole loop and leaves the corrected
   * masks for `while_varying`: build the loop again with them. */
  cuvil_status *(*begin_if)(cuvil_builder *, cuvil_value condition);
  cuvil_status *(*begin_while)(cuvil_builder *, const cuvil_value *carried,
                               const uint64_t *varying, size_t n, cuvil_value *args);
  cuvil_status *(*next_region)(cuvil_builder *, const cuvil_value *yields, size_t n,
                               cuvil_value *args, size_t num_args);
  cuvil_status *(*end_region_op)(cuvil_builder *, const cuvil_value *yields, size_t n,
                                 cuvil_value *results, size_t num_results);

  void (*while_varying)(cuvil_builder *, uint64_t *varying, size_t n);

  /* What is known of a value. */
  cuvil_dtype (*dtype)(cuvil_value);
  size_t (*rank)(cuvil_value);
  cuvil_dim (*dim)(cuvil_value, size_t i);
  /* 1 when the value is a constant (or folds to one of at most 64 KiB). The
   * view lives as long as the builder. */
  int32_t (*constant)(cuvil_builder *, cuvil_value, cuvil_dl_tensor *out);
  /* The elements of a small integer tensor (rank 0 or 1) as expressions.
   * Returns the element count, or -1 when they are not expressible. */
  int64_t (*value_as_dims)(cuvil_builder *, cuvil_value, cuvil_dim *out, size_t capacity);
  /* As above, but elements not expressible become fresh symbols that are
   * bound when the program reaches this point. */
  cuvil_status *(*bind_dims)(cuvil_builder *, cuvil_value, cuvil_dim *out, size_t count);
  /* Claims that a value has these dims: proven ones cost nothing, the others
   * are checked at run time. Returns a value of the refined type. */
  cuvil_status *(*refine)(cuvil_builder *, cuvil_value, const cuvil_dim *dims, size_t rank,
                          const char *message, cuvil_value *out);

  /* Dimension expressions. */
  cuvil_dim (*dim_const)(cuvil_builder *, int64_t);
  cuvil_dim (*dim_symbol)(cuvil_builder *, const char *name);
  cuvil_dim (*dim_fresh)(cuvil_builder *, const char *stem);
  cuvil_dim (*dim_binary)(cuvil_builder *, int32_t op, cuvil_dim a, cuvil_dim b);
  int32_t (*dim_constant)(cuvil_dim, int64_t *out);
  const char *(*dim_string)(cuvil_builder *, cuvil_dim);

  /* Options of this import, e.g. "input_shape:x" -> "1,3,224,224"; NULL =
   * not given. */
  const char *(*option)(cuvil_builder *, const char *key);
  /* Gives a value the model's own name, by which users may ask for it. */
  void (*name_value)(cuvil_builder *, cuvil_value, const char *name);
  /* Says that the import has read this file beside the model. A result kept in
   * the compile cache is used again only while the file is unchanged. */
  void (*depends_on)(cuvil_builder *, const char *path);
} cuvil_builder_api;

/*--- Step programs ---------------------------------------------------------*/

typedef struct cuvil_program_t cuvil_program;
typedef struct cuvil_executable_t cuvil_executable;

/* An expression in postfix form over the program's symbols. */
typedef struct cuvil_expr {
  const int64_t *code;
  size_t size;
} cuvil_expr;

/* What a native CPU kernel gets. Buffers are in the order of the step;
 * `sizes` are the step's size expressions, evaluated. */
typedef struct cuvil_kernel_args {
  size_t struct_size;
  void *const *buffers;
  const int64_t *sizes;
  void *scratch;   /* 64-byte aligned, private to this worker */
  int64_t worker;
} cuvil_kernel_args;
/* Runs tiles [tile_begin, tile_end). Returns 0 or a status code. */
typedef int32_t (*cuvil_kernel_fn)(const cuvil_kernel_args *, int64_t tile_begin,
                                   int64_t tile_end);

enum {
  CUVIL_BUFFER_ARGUMENT = 1, /* index = argument number */
  CUVIL_BUFFER_RESULT = 2,   /* index = result number */
  CUVIL_BUFFER_TEMPORARY = 3,/* lives within one call */
  CUVIL_BUFFER_CONSTANT = 4, /* the model's own bytes */
  CUVIL_BUFFER_PERSISTENT = 5/* written by init steps, kept for all calls */
};
typedef struct cuvil_buffer_desc {
  size_t struct_size;
  int32_t kind;
  cuvil_dtype dtype;
  int64_t index;
  const cuvil_expr *dims;
  size_t rank;
  cuvil_expr bytes;      /* size 0: product of dims times the element size */
  const void *constant;  /* CONSTANT: handle from retain_constant (moved) */
  const char *name;
} cuvil_buffer_desc;

enum {
  CUVIL_STEP_CALL = 1,     /* native kernel over tiles */
  CUVIL_STEP_COPY = 2,     /* buffers[0] -> buffers[1], same byte size */
  CUVIL_STEP_ALIAS = 3,    /* buffers[1] becomes another view of buffers[0] */
  CUVIL_STEP_BIND = 4,     /* symbols[i] = element i of buffers[0] (i64/i32) */
  CUVIL_STEP_CHECK = 5,    /* sizes are pairs: each sizes[2i] `relation`
                              sizes[2i+1], else the run ends with `message` */
  CUVIL_STEP_IF = 6,       /* buffers[0] = bool condition; blocks then, else */
  CUVIL_STEP_WHILE = 7,    /* loop: run blocks[0], stop unless the bool in
                              buffers[0] is set, run blocks[1] */
  CUVIL_STEP_INVOKE = 8,   /* opaque executable: inputs, then written outputs */
  CUVIL_STEP_HOST = 9,     /* host callback */
  CUVIL_STEP_ASSIGN = 10   /* symbols[i] = sizes[i], all right sides first */
};
/* Relations of CHECK; bcast: a == b or a == 1. */
enum { CUVIL_CHECK_EQ = 0, CUVIL_CHECK_LE = 1, CUVIL_CHECK_LT = 2, CUVIL_CHECK_BCAST = 3 };

/* Rules of a program. Block 0 runs once per load and may write only PERSISTENT
 * and TEMPORARY buffers; block 1 runs per call; other blocks run where an IF
 * or WHILE names them. Values leave a nested block by COPY into buffers of
 * the outer one and ASSIGN of the symbols that size these. A buffer whose
 * size depends on a symbol that only a step binds is allocated when a step
 * first writes it (again each time round a loop). */
typedef cuvil_status *(*cuvil_host_fn)(void *state, cuvil_dl_tensor *const *buffers, size_t n);
typedef struct cuvil_step_desc {
  size_t struct_size;
  int32_t kind;
  int32_t relation;            /* CHECK */
  uint32_t kernel;             /* CALL */
  uint32_t num_writes;         /* the last num_writes buffers are written */
  const uint32_t *buffers;
  size_t num_buffers;
  const cuvil_expr *sizes;
  size_t num_sizes;
  cuvil_expr tiles;            /* CALL: number of tiles */
  cuvil_expr scratch;          /* CALL: bytes per worker */
  const uint32_t *symbols;     /* BIND */
  size_t num_symbols;
  uint32_t blocks[2];          /* IF, WHILE */
  const char *message;         /* CHECK */
  cuvil_executable *executable;/* INVOKE (moved) */
  cuvil_host_fn host;          /* HOST */
  void *host_state;
  void (*host_release)(void *);
  const char *location;        /* op locations, '\n' separated */
  const char *label;           /* e.g. the fusion's name */
  cuvil_expr flops;
  cuvil_expr bytes;
} cuvil_step_desc;

typedef struct cuvil_program_api {
  size_t struct_size;
  cuvil_program *(*create)(void);
  void (*destroy)(cuvil_program *);
  /* A symbol bound from dimension `dim` of argument `arg` (or, with arg < 0,
   * by a BIND step). */
  uint32_t (*add_symbol)(cuvil_program *, const char *name, int64_t arg, int64_t dim);
  uint32_t (*add_buffer)(cuvil_program *, const cuvil_buffer_desc *);
  /* Block 0 is init, block 1 is main; others are for IF and WHILE. */
  uint32_t (*add_block)(cuvil_program *);
  /* A kernel by its name in the program's library, or (in process) by
   * pointer. */
  uint32_t (*add_kernel)(cuvil_program *, const char *symbol, cuvil_kernel_fn function);
  cuvil_status *(*add_step)(cuvil_program *, uint32_t block, const cuvil_step_desc *);
  /* The native library that holds the kernels: path of an existing file. */
  cuvil_status *(*set_library)(cuvil_program *, const char *path);
  /* A finished program as an executable for an INVOKE step of another one.
   * Takes the program over, also when it fails. */
  cuvil_status *(*to_executable)(cuvil_program *, cuvil_executable **out);
} cuvil_program_api;

/*--- Host table ------------------------------------------------------------*/

enum { CUVIL_LOG_DEBUG = 0, CUVIL_LOG_INFO = 1, CUVIL_LOG_WARN = 2, CUVIL_LOG_ERROR = 3 };

typedef struct cuvil_host {
  size_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  const char *version;     /* of Cuvil, e.g. "0.1.0" */
  const char *fingerprint; /* LLVM build the compiler half uses */

  void (*log)(int32_t level, const char *message);
  cuvil_status *(*status_create)(int32_t code, const char *message);
  cuvil_status *(*status_create_at)(int32_t code, const char *message,
                                    const char *where, const char *hint);
  int32_t (*status_code)(const cuvil_status *);
  const char *(*status_message)(const cuvil_status *);
  void (*status_release)(cuvil_status *);
  void *(*allocate)(size_t size, size_t alignment); /* NULL = out of memory */
  void (*deallocate)(void *);

  const cuvil_graph_api *graph;
  const cuvil_builder_api *builder; /* NULL until the compiler library is open */
  const cuvil_program_api *program;
  /* Named extensions with a version of their own; NULL = unknown. */
  const void *(*get_extension)(const char *name, uint32_t version);
} cuvil_host;

/*--- Frontends -------------------------------------------------------------*/

/* A model to import: a path, bytes in memory, or both. */
typedef struct cuvil_model_source {
  size_t struct_size;
  const char *path;        /* NULL when only in memory */
  const void *data;        /* NULL when only a path */
  size_t size;
  void *owner;             /* keeps data alive; see retain/release */
  void (*retain)(void *owner);
  void (*release)(void *owner);
  const char *base_folder; /* folder of side files; NULL = the path's folder */
} cuvil_model_source;

typedef struct cuvil_frontend {
  size_t struct_size;
  const char *name;                /* format, e.g. "onnx" */
  const char *const *extensions;   /* ".onnx", ..., NULL-terminated */
  void *state;
  /* How sure the frontend is that it can read this, 0..100. Looks at no more
   * than the bytes given (at most the first 4 KiB of a file) and the path. */
  int32_t (*sniff)(void *state, const char *path, const void *head, size_t size);
  cuvil_status *(*import)(void *state, const cuvil_model_source *, cuvil_builder *);
} cuvil_frontend;

/*--- Backends --------------------------------------------------------------*/

typedef struct cuvil_device_info {
  size_t struct_size;
  const char *name;        /* "cpu", "cuda", ... */
  int32_t index;
  int32_t score;           /* "auto" takes the highest that can run a model */
  const char *arch;        /* e.g. "x86-64 avx512" */
  const char *description;
  uint64_t memory_bytes;
  uint64_t dtypes;         /* bit 1 << CUVIL_F32 etc. */
  const char *modes;       /* execution modes for backend=, ',' separated */
} cuvil_device_info;

/* Options of a compilation as text: "isa" -> "avx2", "threads" -> "2", ... */
typedef struct cuvil_options {
  size_t struct_size;
  const char *const *keys;
  const char *const *values;
  size_t count;
} cuvil_options;

/* Where get_capability puts its answer: one call per top-level op of the
 * graph, accepting or refusing with a reason that a user can act on. */
typedef struct cuvil_capability_sink {
  size_t struct_size;
  void *state;
  void (*accept)(void *state, cuvil_op);
  void (*refuse)(void *state, cuvil_op, const char *reason);
} cuvil_capability_sink;

/* Result of compiling one graph: exactly one of status, program, executable
 * is set. */
typedef struct cuvil_compile_result {
  size_t struct_size;
  cuvil_status *status;
  cuvil_program *program;
  cuvil_executable *executable;
} cuvil_compile_result;

/* An opaque compiled subgraph, made by a backend that does not use step
 * programs. Inputs and outputs are borrowed; outputs are allocated by the
 * caller with the sizes that the graph's dims give. */
struct cuvil_executable_t {
  size_t struct_size;
  void *state;
  int32_t concurrent;      /* 1 = invoke may run on several threads at once */
  int32_t reserved;
  cuvil_status *(*invoke)(void *state, cuvil_dl_tensor *const *inputs, size_t num_inputs,
                          cuvil_dl_tensor *const *outputs, size_t num_outputs,
                          void *queue);
  void (*destroy)(void *state);
  /* Optional: bytes that deserialize() of the backend turns back. */
  cuvil_status *(*serialize)(void *state, void *sink_state,
                             void (*sink)(void *sink_state, const void *data, size_t size));
};

enum { CUVIL_VALIDATE_OPTIMAL = 0, CUVIL_VALIDATE_RECOMPILE = 1,
       CUVIL_VALIDATE_UNSUPPORTED = 2, CUVIL_VALIDATE_NOT_OURS = 3 };

/* Optional tables for devices with their own memory; CPU-like ones leave the
 * pointers NULL. */
typedef struct cuvil_memory_api {
  size_t struct_size;
  cuvil_status *(*allocate)(void *state, int32_t device, size_t bytes, void **out);
  void (*deallocate)(void *state, int32_t device, void *);
  cuvil_status *(*copy)(void *state, int32_t device, void *dst, const void *src,
                        size_t bytes, int32_t direction, void *queue);
  cuvil_status *(*queue_create)(void *state, int32_t device, void **out);
  void (*queue_destroy)(void *state, void *queue);
  cuvil_status *(*event_record)(void *state, void *queue, void **event);
  int32_t (*event_ready)(void *state, void *event);
  cuvil_status *(*event_wait)(void *state, void *event);
  void (*event_destroy)(void *state, void *event);
} cuvil_memory_api;

typedef struct cuvil_backend {
  size_t struct_size;
  const char *device;      /* the device name it serves */
  void *state;
  /* Fills up to `capacity` infos (whose struct_size the caller has set) and
   * returns the number of devices. Must not start a driver. */
  size_t (*devices)(void *state, cuvil_device_info *out, size_t capacity);
  cuvil_status *(*get_capability)(void *state, const cuvil_graph *, const cuvil_options *,
                                  const cuvil_capability_sink *);
  void (*compile)(void *state, const cuvil_graph *const *graphs, size_t n,
                  const cuvil_options *, cuvil_compile_result *results);
  /* Text that names everything the compiled code depends on (target, version);
   * part of the cache key and stored in artefacts. */
  const char *(*compatibility)(void *state, const cuvil_options *);
  int32_t (*validate)(void *state, const char *compatibility);
  cuvil_status *(*deserialize)(void *state, const void *data, size_t size,
                               cuvil_executable **out);
  const cuvil_memory_api *memory;
} cuvil_backend;

/*--- Passes and rules ------------------------------------------------------*/

/* Attachment points are stage names: "import", "canonicalize", "precision",
 * "quantize", "before-fusion", "fusion", "after-fusion", "partition",
 * "device-fusion", "grouping". A pass plugin works on MLIR handles (plane B)
 * and is refused unless its fingerprint equals the host's. */
typedef struct cuvil_pass {
  size_t struct_size;
  const char *name;        /* as written in pipelines, e.g. "acme-fold" */
  const char *stage;       /* default attachment point; NULL = only by name */
  const char *description;
  void *state;
  cuvil_status *(*run)(void *state, void *mlir_module_op, const cuvil_options *);
} cuvil_pass;

typedef struct cuvil_rules {
  size_t struct_size;
  const char *name;
  const char *yaml;        /* rule text; NULL = `path` */
  const char *path;        /* relative to the manifest */
} cuvil_rules;

/*--- Plugin descriptor -----------------------------------------------------*/

enum { CUVIL_FRONTEND = 1, CUVIL_BACKEND = 2, CUVIL_PASSES = 4, CUVIL_RULES = 8 };

/* Where initialize() puts what the plugin brings. The tables must stay valid
 * until the process ends; the host copies the structs. */
typedef struct cuvil_registrar {
  size_t struct_size;
  void *state;
  cuvil_status *(*add_frontend)(void *state, const cuvil_frontend *);
  cuvil_status *(*add_backend)(void *state, const cuvil_backend *);
  cuvil_status *(*add_pass)(void *state, const cuvil_pass *);
  cuvil_status *(*add_rules)(void *state, const cuvil_rules *);
} cuvil_registrar;

typedef struct cuvil_plugin {
  size_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t min_host_minor;
  uint32_t kinds;
  const char *id;          /* "vendor.name" */
  const char *version;
  const char *license;
  const char *fingerprint; /* "" = plane A only */
  const char *sanitizer;   /* "", "address", ... */
  cuvil_status *(*initialize)(const cuvil_host *, const cuvil_registrar *);
  void (*shutdown)(void);
  const void *(*get_extension)(const char *name, uint32_t version);
} cuvil_plugin;

/* The one exported symbol. Does no work; NULL = this host is too old. */
typedef const cuvil_plugin *(*cuvil_plugin_query_fn)(uint32_t host_major,
                                                     uint32_t host_minor);
#define CUVIL_PLUGIN_SYMBOL "cuvil_plugin_query"

#ifndef CUVIL_PLUGIN_FINGERPRINT
#define CUVIL_PLUGIN_FINGERPRINT ""
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CUVIL_PLUGIN_SANITIZER "address"
#else
#define CUVIL_PLUGIN_SANITIZER ""
#endif

#ifdef __cplusplus
#define CUVIL_PLUGIN_LINKAGE extern "C"
#else
#define CUVIL_PLUGIN_LINKAGE
#endif

/* Declares the plugin; the version fields are filled here and not by hand.
 * Example: CUVIL_PLUGIN("acme.npu", "1.0.0", "MIT", CUVIL_BACKEND, init, NULL) */
#define CUVIL_PLUGIN(ID, VERSION, LICENSE, KINDS, INITIALIZE, SHUTDOWN)                            \
  CUVIL_PLUGIN_LINKAGE CUVIL_EXPORT const cuvil_plugin *cuvil_plugin_query(uint32_t host_major,    \
                                                                           uint32_t host_minor);   \
  CUVIL_PLUGIN_LINKAGE CUVIL_EXPORT const cuvil_plugin *cuvil_plugin_query(uint32_t host_major,    \
                                                                           uint32_t host_minor) {  \
    static const cuvil_plugin descriptor = {                                                       \
        sizeof(cuvil_plugin), CUVIL_ABI_MAJOR, CUVIL_ABI_MINOR, 0, (KINDS), (ID), (VERSION),       \
        (LICENSE), CUVIL_PLUGIN_FINGERPRINT, CUVIL_PLUGIN_SANITIZER, (INITIALIZE), (SHUTDOWN),     \
        NULL};                                                                                     \
    return host_major == CUVIL_ABI_MAJOR ? &descriptor : NULL;                                     \
  }

#ifdef __cplusplus
}
#endif
#endif /* CUVIL_PLUGIN_H */
