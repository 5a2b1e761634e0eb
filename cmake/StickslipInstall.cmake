# SPDX-License-Identifier: BSD-3-Clause
# `cmake --install` exports the package: find_package(stickslip) gives stickslip::stickslip, the whole library.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY STICKSLIP_LIBRARIES)
add_library(stickslip_library INTERFACE)
set_target_properties(stickslip_library PROPERTIES EXPORT_NAME stickslip)
target_link_libraries(stickslip_library INTERFACE ${libraries})
add_library(stickslip::stickslip ALIAS stickslip_library)

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/stickslip")
install(TARGETS stickslip_library ${libraries} EXPORT stickslip ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/stickslip" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
# Where the program looks for them.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenes" "${PROJECT_SOURCE_DIR}/plans" "${PROJECT_SOURCE_DIR}/galleries" "${PROJECT_SOURCE_DIR}/web/page"
                  "${PROJECT_SOURCE_DIR}/apps/gallery" "${PROJECT_SOURCE_DIR}/apps/film"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/stickslip OPTIONAL
        PATTERN __pycache__ EXCLUDE PATTERN sources.sha256 EXCLUDE)
if(Sundials_FOUND)
  install(FILES "${Sundials_INCLUDE_DIR}/../copyright" DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME SUNDIALS OPTIONAL)
endif()
install(EXPORT stickslip NAMESPACE stickslip:: FILE stickslipTargets.cmake DESTINATION ${package_directory})

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/stickslipConfig.cmake.in" stickslipConfig.cmake
                              INSTALL_DESTINATION ${package_directory})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(stickslipConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/stickslipConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/stickslipConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindHDF5Serial.cmake"
        DESTINATION ${package_directory})

# `cpack -G DEB` in a build folder: the program, the library and the Python package (target stickslip_python, built before)
# for the system that it was built on. dpkg-shlibdeps finds the libraries that it needs.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # not the tests, too
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "the authors of stickslip <stickslip@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3-numpy")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-h5py, python3-matplotlib, python3-distributed, python3-pandas")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
include(CPack)
