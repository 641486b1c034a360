# What `bl demo` and `bl reproduce` show: for the command line and the tests, no part of the library and its package.
file(GLOB BL_EVIDENCE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/evidence/*.cpp)
add_library(bl_evidence STATIC EXCLUDE_FROM_ALL ${BL_EVIDENCE_SOURCES})
bl_join_sources(bl_evidence)
target_include_directories(bl_evidence PUBLIC ${PROJECT_SOURCE_DIR}/src/evidence/include
                                       PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(bl_evidence PUBLIC bl PRIVATE bl_options bl_dependencies)
