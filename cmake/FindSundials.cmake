# SPDX-License-Identifier: BSD-3-Clause
# The static archives of ARKODE and CVODE of SUNDIALS 6, each of which holds the serial vectors, dense matrices and solvers as well:
# what scripts/setup unpacked, or the system's. Sundials_OBJECTS are the object files of both, each once, to be put into a
# library of ours, so that who links it needs no SUNDIALS.
find_path(Sundials_INCLUDE_DIR sundials/sundials_config.h HINTS "${PROJECT_SOURCE_DIR}/build/sundials/include")
foreach(part IN ITEMS arkode cvode)
  find_library(Sundials_${part}_ARCHIVE libsundials_${part}.a HINTS "${PROJECT_SOURCE_DIR}/build/sundials/lib")
endforeach()
set(Sundials_VERSION "")
if(Sundials_INCLUDE_DIR)
  file(STRINGS "${Sundials_INCLUDE_DIR}/sundials/sundials_config.h" version REGEX "define SUNDIALS_VERSION ")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" Sundials_VERSION "${version}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Sundials
  REQUIRED_VARS Sundials_arkode_ARCHIVE Sundials_cvode_ARCHIVE Sundials_INCLUDE_DIR
  VERSION_VAR Sundials_VERSION HANDLE_VERSION_RANGE)

set(Sundials_OBJECTS "")
if(Sundials_FOUND)
  set(names "")
  foreach(part IN ITEMS arkode cvode)
    set(directory "${PROJECT_BINARY_DIR}/sundials/${part}")
    file(MAKE_DIRECTORY "${directory}")
    execute_process(COMMAND "${CMAKE_AR}" x "${Sundials_${part}_ARCHIVE}" WORKING_DIRECTORY "${directory}"
                    COMMAND_ERROR_IS_FATAL ANY)
    file(GLOB objects "${directory}/*.o")
    foreach(object IN LISTS objects)
      get_filename_component(name "${object}" NAME)
      if(NOT name IN_LIST names)
        list(APPEND names "${name}")
        list(APPEND Sundials_OBJECTS "${object}")
      endif()
    endforeach()
  endforeach()
endif()
mark_as_advanced(Sundials_INCLUDE_DIR Sundials_arkode_ARCHIVE Sundials_cvode_ARCHIVE)
