# SPDX-License-Identifier: BSD-3-Clause
# toml++ as TomlPlusPlus::TomlPlusPlus, headers only: compiled with our flags, so that the sanitizers and the fuzzer
# see into the parser, and nothing of it is left to link.
find_path(TomlPlusPlus_INCLUDE_DIR toml++/toml.h)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TomlPlusPlus REQUIRED_VARS TomlPlusPlus_INCLUDE_DIR)

if(TomlPlusPlus_FOUND AND NOT TARGET TomlPlusPlus::TomlPlusPlus)
  add_library(TomlPlusPlus::TomlPlusPlus INTERFACE IMPORTED)
  set_target_properties(TomlPlusPlus::TomlPlusPlus PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${TomlPlusPlus_INCLUDE_DIR}")
endif()
mark_as_advanced(TomlPlusPlus_INCLUDE_DIR)
