# The command line, `bl`. It sees the public headers, those of the evidence among them, and
# nothing else. -O1, since it waits for the library, and CLI11 then
# compiles in half the time.
find_package(CLI11 REQUIRED)
file(GLOB BL_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp)
add_executable(bl_cli ${BL_CLI_SOURCES})
set_target_properties(bl_cli PROPERTIES OUTPUT_NAME bl)
bl_join_sources(bl_cli)
target_compile_options(bl_cli PRIVATE $<$<CONFIG:Release>:-O1>)
target_link_libraries(bl_cli PRIVATE bl bl_evidence bl_options fmt::fmt CLI11::CLI11 nlohmann_json::nlohmann_json)

# One fit on several processes (docs/cluster.md), where there is an MPI to build with.
option(BL_MPI "Build the command line with MPI where it is found" ON)
if(BL_MPI)
  find_package(MPI COMPONENTS C QUIET)
  if(MPI_C_FOUND)
    target_link_libraries(bl_cli PRIVATE MPI::MPI_C)
    target_compile_definitions(bl_cli PRIVATE BL_WITH_MPI OMPI_SKIP_MPICXX)
  endif()
endif()

# Installed with what shells complete; cpack makes a Debian package of it (./run deb).
include(GNUInstallDirs)
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
