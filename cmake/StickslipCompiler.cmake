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
  set(CMAKE_CXX_COMPILER_LAUNCHER "${STICKSLIP_CCACHE}")
endif()

# Linked into every target of ours; not exported.
add_library(stickslip_compile INTERFACE)
target_compile_options(stickslip_compile INTERFACE
  # The same bits everywhere: no contraction into fused multiply-adds, no fast-math, no -march.
  -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wundef
  # Two warnings of GCC 12 that cry wolf at -O3: -Wmaybe-uninitialized on Eigen's fixed-size matrices, -Wrestrict on
  # std::string's operator+. The sanitizers look for the real ones.
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wno-maybe-uninitialized -Wno-restrict>)
# Some of Eigen's optional headers are LGPL: leave them out for certain.
target_compile_definitions(stickslip_compile INTERFACE EIGEN_MPL2_ONLY)
if(STICKSLIP_SANITIZE)
  # Not the checks for null pointers: the address sanitizer sees each such access, and without them files full of
  # Eigen compile twice as fast.
  target_compile_options(stickslip_compile INTERFACE
    -fsanitize=${STICKSLIP_SANITIZE} -fno-sanitize=null -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(stickslip_compile INTERFACE -fsanitize=${STICKSLIP_SANITIZE})
endif()
if(STICKSLIP_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "STICKSLIP_FUZZERS needs clang: use the preset fuzz")
  endif()
  target_compile_options(stickslip_compile INTERFACE -fsanitize=fuzzer-no-link)
endif()
