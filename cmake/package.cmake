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

# The command line, with what shells complete; cpack makes a Debian package of it (./run deb).
set(completions ${PROJECT_BINARY_DIR}/completions)
add_custom_command(TARGET bl_cli POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E make_directory ${completions}
  COMMAND bl_cli completion bash > ${completions}/bl
  COMMAND bl_cli completion zsh > ${completions}/_bl
  COMMAND bl_cli completion fish > ${completions}/bl.fish)
install(TARGETS bl_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command_line)
install(FILES ${completions}/bl DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command_line)
install(FILES ${completions}/_bl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT command_line)
install(FILES ${completions}/bl.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT command_line)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/behavior-learning COMPONENT command_line)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME behavior-learning)
set(CPACK_PACKAGE_CONTACT "the authors of Behavior Learning <noreply@example.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Learn from data the optimization problem that people behave as if they solved")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL command_line)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_COMMAND_LINE_PACKAGE_NAME behavior-learning)
set(CPACK_DEBIAN_COMMAND_LINE_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenblas0-pthread)  # the serial build is not safe: cmake/dependencies.cmake
set(CPACK_STRIP_FILES ON)
include(CPack)
