# SPDX-License-Identifier: BSD-3-Clause
# The rules by which folders become targets. New files are found by themselves: no list to keep.

# All folder libraries that exist so far, in the order of declaration.
set_property(GLOBAL PROPERTY STICKSLIP_LIBRARIES "")

# stickslip_compile_together(<target> <n>): with STICKSLIP_UNITY its files are compiled n at a time, headers and templates once for all
# of them: names in anonymous namespaces stand once a folder.
function(stickslip_compile_together target n)
  if(STICKSLIP_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${n})
  endif()
endfunction()

# stickslip_folder(<folder> [USES <folder>...] [EXTERNAL <target>...] [PRIVATE_EXTERNAL <target>...])
# makes the static library stickslip_<folder> of src/stickslip/<folder>/*.cpp (headers alone make an interface
# library, an empty folder none). USES are the arrows of docs/design.md. EXTERNAL libraries show in headers,
# PRIVATE_EXTERNAL ones in .cpp files only.
function(stickslip_folder folder)
  cmake_parse_arguments(arg "" "" "USES;EXTERNAL;PRIVATE_EXTERNAL" ${ARGN})
  set(directory "${PROJECT_SOURCE_DIR}/src/stickslip/${folder}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${directory}/*.cpp")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${directory}/*.h")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(NOT sources AND NOT headers)
    return()
  endif()
  set(target stickslip_${folder})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(visible PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:stickslip_compile> fmt::fmt ${arg_PRIVATE_EXTERNAL})
    stickslip_reuse_headers(${target} stickslip_headers)
    stickslip_compile_together(${target} 20)
  else()
    add_library(${target} INTERFACE)
    set(visible INTERFACE)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${folder})
  target_compile_features(${target} ${visible} cxx_std_20)
  target_include_directories(${target} ${visible}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(STICKSLIP_ASSERTIONS)
    target_compile_definitions(${target} ${visible} STICKSLIP_ASSERTIONS)
  endif()
  target_link_libraries(${target} ${visible} ${arg_EXTERNAL})
  foreach(used IN LISTS arg_USES)
    if(TARGET stickslip_${used})
      target_link_libraries(${target} ${visible} stickslip_${used})
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY STICKSLIP_LIBRARIES ${target})
endfunction()

# stickslip_long_loops(<file>...): files of src/stickslip/ whose loops are long, compiled with all that vectorises them. They are
# compiled alone, as GCC takes such options from the headers that it compiled once.
function(stickslip_long_loops)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/src/stickslip/")
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fvect-cost-model=dynamic>)
endfunction()

# stickslip_instructions(<file> <option>...): a file of src/stickslip/ for some instructions that a machine may lack, compiled alone and
# without headers compiled for others: code of theirs must not come to be called where it is not chosen.
function(stickslip_instructions file)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/stickslip/${file}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
    SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${ARGN}")
endfunction()

# stickslip_sundials(<folder>): where SUNDIALS was found (cmake/FindSundials.cmake) the folder's library is compiled with it and holds its
# objects, so that the installed package needs none; a linker takes those that are called.
function(stickslip_sundials folder)
  if(Sundials_FOUND)
    set_source_files_properties(${Sundials_OBJECTS} PROPERTIES EXTERNAL_OBJECT ON)
    target_sources(stickslip_${folder} PRIVATE ${Sundials_OBJECTS})
    target_include_directories(stickslip_${folder} SYSTEM PRIVATE "${Sundials_INCLUDE_DIR}")
    target_compile_definitions(stickslip_${folder} PRIVATE STICKSLIP_WITH_SUNDIALS)
  endif()
endfunction()

# stickslip_program(<name> USES <folder>... EXTERNAL <target>...): apps/<name>/*.cpp, at the root of the build folder. With STICKSLIP_MPI
# there is a second one, target <name>_mpi, mpi/<name> in the build folder: it has another make_ranks.cpp, that of apps/<name>/mpi, and
# shares all else.
function(stickslip_program name)
  cmake_parse_arguments(arg "" "" "USES;EXTERNAL" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/apps/${name}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "(_test|/make_ranks)\\.cpp$")
  if(NOT sources)
    return()
  endif()
  add_library(${name}_objects OBJECT ${sources})
  # Where to look for what is installed beside the program when it runs from a build folder: scenes, galleries, pages.
  target_compile_definitions(${name}_objects PRIVATE STICKSLIP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # As one translation unit: each of its files would else compile CLI11's headers again, 7 s of 8.
  set_target_properties(${name}_objects PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  add_executable(${name} "${PROJECT_SOURCE_DIR}/apps/${name}/make_ranks.cpp")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  set(programs ${name})
  if(STICKSLIP_MPI)
    add_executable(${name}_mpi EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/apps/${name}/mpi/make_ranks.cpp")
    target_include_directories(${name}_mpi PRIVATE "${PROJECT_SOURCE_DIR}/apps/${name}")
    target_link_libraries(${name}_mpi PRIVATE MPI::MPI_CXX)
    set_target_properties(${name}_mpi PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/mpi")
    list(APPEND programs ${name}_mpi)
  endif()
  foreach(target IN LISTS programs)
    target_link_libraries(${target} PRIVATE ${name}_objects)
    # Addresses that the loader fills in are read-only once the program runs.
    target_link_options(${target} PRIVATE LINKER:-z,relro,-z,now)
  endforeach()
  foreach(target IN ITEMS ${name}_objects LISTS programs)
    target_link_libraries(${target} PRIVATE stickslip_compile fmt::fmt ${arg_EXTERNAL})
    foreach(used IN LISTS arg_USES)
      if(TARGET stickslip_${used})
        target_link_libraries(${target} PRIVATE stickslip_${used})
      endif()
    endforeach()
  endforeach()
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# Tells base/build_info.cpp which version and which commit it is built from (a result file says so). A new commit
# makes CMake look again, and only that one file is compiled anew.
function(stickslip_build_info)
  set(commit "unknown")
  find_package(Git QUIET)
  if(GIT_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
    execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${PROJECT_SOURCE_DIR}" rev-parse --short=12 HEAD
                    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)
    if(status EQUAL 0)
      set(commit "${found}")
      set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY
                   CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/.git/logs/HEAD")
    endif()
  endif()
  set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/stickslip/base/build_info.cpp" APPEND PROPERTY
               COMPILE_DEFINITIONS STICKSLIP_VERSION="${PROJECT_VERSION}" STICKSLIP_COMMIT="${commit}")
endfunction()

# Test executables that run with floating-point traps. Not the others: they hand over infinities and NaNs to see them
# refused, or call libraries that make some of their own.
set(kTrappingTests geometry collision model stepping analytic)

# One GoogleTest executable, <name>_test, in <build>/tests, its cases known to ctest under `label`; those whose names
# begin with Slow, sweeps that take minutes, under `slow`.
function(stickslip_test_executable name label timeout)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name}_test ${arg_SOURCES})
  if(name IN_LIST kTrappingTests)
    target_sources(${name}_test PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/floating_point_traps.cpp")
  endif()
  target_link_libraries(${name}_test PRIVATE ${arg_LINKS} stickslip_compile fmt::fmt GTest::gtest_main)
  target_compile_options(${name}_test PRIVATE ${kTestOptimisation})
  stickslip_reuse_headers(${name}_test stickslip_test_headers)
  stickslip_compile_together(${name}_test 20)
  target_include_directories(${name}_test PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${name}_test PRIVATE
    STICKSLIP_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data"
    STICKSLIP_TESTS_DIR="${PROJECT_SOURCE_DIR}/tests"
    STICKSLIP_SCENES_DIR="${PROJECT_SOURCE_DIR}/scenes"
    $<$<BOOL:$<TARGET_EXISTS:stickslip>>:STICKSLIP_PROGRAM="${PROJECT_BINARY_DIR}/stickslip">)
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  gtest_discover_tests(${name}_test TEST_FILTER -Slow* NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS ${label} TIMEOUT ${timeout})
  gtest_discover_tests(${name}_test TEST_FILTER Slow* TEST_LIST ${name}_slow_tests NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS slow TIMEOUT 3600)
endfunction()

# The unit tests with STICKSLIP_TEST_SAMPLE: those that go through most of what computes and reads for the time they take
# to compile.
set(kSampledTests
  math/block_lu math/dense_factors math/small_solves math/sparse_lu cone/one_step_problem cone/residual
  solvers/conformance solvers/free_rows solvers/island_solver geometry/point_file geometry/ray_cast
  collision/broad_phase collision/field_surface collision/manifold model/contact model/force
  constraints/constraint_set constraints/warm_start stepping/moreau stepping/pass_finder stepping/sundials_integrator
  stepping/event_driven/radau stepping/generalized_alpha/methods stepping/generalized_alpha/step
  scene/bad_scenes scene/load_scene io/csv io/problem_file io/result_damage)

# x_test.cpp beside x.cpp: one executable a folder, label "fast", target unit_tests. A unit test stays under a second; the limit leaves
# room for the sanitizers and a busy machine.
function(stickslip_unit_tests)
  add_custom_target(unit_tests)
  get_property(libraries GLOBAL PROPERTY STICKSLIP_LIBRARIES)
  foreach(library IN LISTS libraries)
    string(REPLACE stickslip_ "" folder ${library})
    if(STICKSLIP_TEST_SAMPLE)
      set(tests ${kSampledTests})
      list(FILTER tests INCLUDE REGEX "^${folder}/")
      list(TRANSFORM tests REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/stickslip/\\1_test.cpp")
    else()
      file(GLOB_RECURSE tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/stickslip/${folder}/*_test.cpp")
    endif()
    if(tests)
      stickslip_test_executable(${folder} fast 120 SOURCES ${tests} LINKS ${library})
      add_dependencies(unit_tests ${folder}_test)
    endif()
  endforeach()
endfunction()

# tests/<kind>/*.cpp: one executable a kind, which sees the whole library.
function(stickslip_system_tests kind)
  file(GLOB tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${kind}/*.cpp")
  get_property(libraries GLOBAL PROPERTY STICKSLIP_LIBRARIES)
  if(tests)
    stickslip_test_executable(${kind} ${kind} 600 SOURCES ${tests} LINKS ${libraries})
    if(TARGET stickslip)
      add_dependencies(${kind}_test stickslip)
    endif()
  endif()
endfunction()

# tests/fuzz/x.cpp: one libFuzzer executable each, <build>/fuzz/x, of a reader. They and the folders that read
# tell libFuzzer where an input has led (as -fsanitize=fuzzer-no-link does, which makes headers compiled without unusable).
function(stickslip_fuzzers)
  set(coverage -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp,indirect-calls)
  foreach(folder base geometry scene robots io sweep)
    target_compile_options(stickslip_${folder} PRIVATE ${coverage})
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp")
  add_custom_target(fuzzers)
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(fuzz_${name} "${source}")
    target_compile_options(fuzz_${name} PRIVATE ${coverage})
    target_include_directories(fuzz_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_link_libraries(fuzz_${name} PRIVATE stickslip_robots stickslip_scene stickslip_sweep stickslip_io stickslip_compile fmt::fmt)
    target_compile_definitions(fuzz_${name} PRIVATE STICKSLIP_SCENES_DIR="${PROJECT_SOURCE_DIR}/scenes")
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(fuzz_${name} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
    add_dependencies(fuzzers fuzz_${name})
  endforeach()
endfunction()

# stickslip_embed(<folder> <file> <header> <function>): a file as a function of the folder's library, which the header declares: one raw
# string, so that the program needs no file beside it.
function(stickslip_embed folder file header function)
  if(NOT TARGET stickslip_${folder})
    return()
  endif()
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" content)
  set(source "${PROJECT_BINARY_DIR}/generated/${function}.cpp")
  set(text "// Made by CMake of ${file}.\n#include \"stickslip/${folder}/${header}\"\nnamespace stickslip {\n")
  string(APPEND text "std::string_view ${function}() {\n  return R\"stickslip(" "${content}" ")stickslip\";\n}\n}\n")
  set(before "")
  if(EXISTS "${source}")
    file(READ "${source}" before)
  endif()
  if(NOT before STREQUAL text)
    file(WRITE "${source}" "${text}")
  endif()
  target_sources(stickslip_${folder} PRIVATE "${source}")
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()
