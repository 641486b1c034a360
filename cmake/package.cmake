# The C++ package: `cmake --install build/release --prefix DIR`, then find_package(bl) and link bl::bl.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS bl bl_dependencies EXPORT blTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT package)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/bl ${PROJECT_BINARY_DIR}/include/bl
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT package FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/bl)
install(EXPORT blTargets NAMESPACE bl:: DESTINATION ${package_folder} COMPONENT package)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/blConfig.cmake.in ${PROJECT_BINARY_DIR}/blConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/blConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/blConfig.cmake ${PROJECT_BINARY_DIR}/blConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT package)
