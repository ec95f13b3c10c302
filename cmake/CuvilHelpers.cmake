# SPDX-License-Identifier: Apache-2.0
# The four ways to add a piece: module, plugin, tool and unit test.
include_directories(BEFORE
  "${PROJECT_SOURCE_DIR}/core/include" "${PROJECT_BINARY_DIR}/core/include")

# cuvil_add_module(<name> [MLIR] [DEPENDS <targets>...] SOURCES <files>...)
# One module of the core as an object library. MLIR modules go into
# libcuvil-compiler.so, the others into libcuvil.so.
function(cuvil_add_module name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  if(ARG_MLIR)
    target_include_directories(${name} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    set_property(GLOBAL APPEND PROPERTY CUVIL_COMPILER_MODULES ${name})
  else()
    set_property(GLOBAL APPEND PROPERTY CUVIL_RUNTIME_MODULES ${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# cuvil_add_plugin(<folder-name> [COMPILER] [LINK <libs>...] SOURCES <files>...)
# A shared object with the one exported entry point and its manifest
# `plugin.json` beside it. COMPILER plugins use MLIR and libcuvil-compiler.
function(cuvil_add_plugin name)
  cmake_parse_arguments(ARG "COMPILER" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  set(dir "${CMAKE_BINARY_DIR}/lib/cuvil/plugins/${name}")
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${dir}"
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    BUILD_RPATH "\$ORIGIN/../../.." INSTALL_RPATH "\$ORIGIN/../../..")
  target_link_options(${name} PRIVATE -Wl,-z,nodelete -Wl,--no-undefined)
  if(NOT ARG_COMPILER)
    target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
  else()
    # MLIR tells traits apart by the addresses of inline variables. Hidden ones
    # differ from libMLIR's, and e.g. constants are no longer recognised.
    set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET default)
    target_link_options(${name} PRIVATE
      -Wl,--exclude-libs,liblldELF.a:liblldCommon.a)
    target_include_directories(${name} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    target_link_libraries(${name} PRIVATE cuvil-compiler cuvil MLIR LLVM ${ARG_LINK})
  endif()
  configure_file("${CMAKE_CURRENT_SOURCE_DIR}/plugin.json.in" "${dir}/plugin.json" @ONLY)
  install(TARGETS ${name} LIBRARY DESTINATION lib/cuvil/plugins/${name})
  install(FILES "${dir}/plugin.json" DESTINATION lib/cuvil/plugins/${name})
endfunction()

# cuvil_add_tool(<name> SOURCES <files>... [LINK <libs>...])
function(cuvil_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# cuvil_add_unit_test(<name> [MLIR] SOURCES <files>... [LINK <libs>...])
# A GoogleTest program registered with ctest.
function(cuvil_add_unit_test name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  if(ARG_MLIR)
    target_include_directories(${name} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    target_link_libraries(${name} PRIVATE MLIR LLVM)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
endfunction()
