# SPDX-License-Identifier: BSD-3-Clause
# How every target is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(STICKSLIP_CCACHE ccache)
mark_as_advanced(STICKSLIP_CCACHE)
if(STICKSLIP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these ccache passes on whatever uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${STICKSLIP_CCACHE}")
endif()

option(STICKSLIP_UNITY "Compile twenty files at a time, to build the whole in half the time" OFF)
option(STICKSLIP_PRECOMPILED_HEADERS "Compile standard and external headers once" ON)

# Linked into every target of ours; not exported.
add_library(stickslip_compile INTERFACE)
target_compile_options(stickslip_compile INTERFACE
  # The same bits everywhere: no contraction into fused multiply-adds, no fast-math, no -march.
  -ffp-contract=off
  # A new enumerator is an error wherever a switch does not name it; switches over our own have no default.
  -Werror=switch
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wundef
  # Warnings of GCC 12 that cry wolf: -Wmaybe-uninitialized on Eigen's fixed-size matrices, the others on std::string's
  # operator+. The sanitizers look for the real ones.
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds
    -Wno-stringop-overflow>
  # Most loops run over the few coordinates of a body or rows of a contact: what GCC adds to each, so that it would be
  # vectorised where it is long, takes longer than the loop. Files of long loops ask for it (stickslip_long_loops).
  $<$<CXX_COMPILER_ID:GNU>:-fvect-cost-model=very-cheap>
  # A page is one string of 700 kB.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>)
# GCC looks for garbage of its own from 128 MB on, again and again: an eighth of the time of files full of templates. Up
# to 1 GB it need not, where each of the processors has twice that.
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # [MiB]
cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR memory_each "${memory} / ${processors}")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND memory_each GREATER 2047)
  target_compile_options(stickslip_compile INTERFACE "SHELL:--param ggc-min-heapsize=1048576")  # [KiB]
endif()
# Some of Eigen's optional headers are LGPL: leave them out for certain.
target_compile_definitions(stickslip_compile INTERFACE EIGEN_MPL2_ONLY)
if(STICKSLIP_PRECOMPILED_HEADERS)  # for ccache
  target_compile_options(stickslip_compile INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endif()
if(STICKSLIP_SANITIZE)
  # Not the checks for null pointers, the sizes of objects and the arithmetic of pointers, as the address sanitizer sees each
  # access that they would lead to, nor those of alignment, as Eigen asserts what it relies on and all other bytes are
  # copied: they double the time of files full of Eigen.
  target_compile_options(stickslip_compile INTERFACE
    -fsanitize=${STICKSLIP_SANITIZE} -fno-sanitize=null,alignment,object-size,pointer-overflow -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(stickslip_compile INTERFACE -fsanitize=${STICKSLIP_SANITIZE})
endif()
if(STICKSLIP_FUZZERS AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "STICKSLIP_FUZZERS needs clang")
endif()

# Standard and external headers that many files include, compiled once a build folder; every file still includes what it
# uses, so that it compiles without as well (clang-tidy reads them so). Libraries and executables have one each, because
# GCC refuses a header that was compiled for the other kind of position-independent code.
set(kPrecompiledHeaders
  <algorithm> <array> <cmath> <cstdint> <limits> <map> <memory> <optional> <span> <string> <string_view> <utility>
  <variant> <vector> <fmt/format.h> <Eigen/Core>)

# The library's own functions are tested as they are built; what is inline may be the tests', which need not be fast and
# compile in two thirds of the time so.
set(kTestOptimisation $<$<CONFIG:Release>:-O1>)

# stickslip_precompiled_headers(<target> [PIE] [OPTIONS <option>...] [EXTERNAL <target>...] [HEADERS <header>...]): a
# target that compiles them with our flags and these options, as for an executable with PIE, for others to reuse.
function(stickslip_precompiled_headers name)
  cmake_parse_arguments(arg "PIE" "" "OPTIONS;EXTERNAL;HEADERS" ${ARGN})
  if(NOT STICKSLIP_PRECOMPILED_HEADERS)
    return()
  endif()
  set(source "${PROJECT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Empty: the target is its headers.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${source}")
  if(arg_PIE)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
  endif()
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${name} PRIVATE stickslip_compile fmt::fmt Eigen3::Eigen ${arg_EXTERNAL})
  target_precompile_headers(${name} PRIVATE ${kPrecompiledHeaders} ${arg_HEADERS})
endfunction()

# stickslip_reuse_headers(<target> <headers>): where they are precompiled.
function(stickslip_reuse_headers target headers)
  if(TARGET ${headers})
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()
