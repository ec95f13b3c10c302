# SPDX-License-Identifier: Apache-2.0
# Finds the tools and libraries that Cuvil is built on.
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# AddLLVM resets the output folders; ours win.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(yaml-cpp REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS filesystem)

find_program(CUVIL_CCACHE ccache)
if(CUVIL_CCACHE)
  # Absolute paths are rewritten so that every checkout shares one cache.
  set(CUVIL_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CUVIL_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CUVIL_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CUVIL_LAUNCHER})
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-init-list-lifetime>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-dangling-pointer>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_RELEASE "-O2")
if(CUVIL_SANITIZE)
  add_compile_options(-fsanitize=${CUVIL_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CUVIL_SANITIZE})
endif()
