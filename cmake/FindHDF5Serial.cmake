# SPDX-License-Identifier: BSD-3-Clause
# The serial HDF5 C library as HDF5Serial::HDF5Serial. Debian keeps it beside the MPI builds under the name
# hdf5_serial; elsewhere it is plain hdf5. CMake's own FindHDF5 would ask the compiler wrappers, which may belong
# to an MPI build.
find_path(HDF5Serial_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5Serial_LIBRARY NAMES hdf5_serial hdf5)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5Serial REQUIRED_VARS HDF5Serial_LIBRARY HDF5Serial_INCLUDE_DIR)

if(HDF5Serial_FOUND AND NOT TARGET HDF5Serial::HDF5Serial)
  add_library(HDF5Serial::HDF5Serial UNKNOWN IMPORTED)
  set_target_properties(HDF5Serial::HDF5Serial PROPERTIES
    IMPORTED_LOCATION "${HDF5Serial_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${HDF5Serial_INCLUDE_DIR}")
endif()
mark_as_advanced(HDF5Serial_INCLUDE_DIR HDF5Serial_LIBRARY)
