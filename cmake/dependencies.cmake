# Everything here comes from Debian's packages; ./run setup installs them.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(ZLIB REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_library(HWY_LIBRARY hwy REQUIRED)

# OpenBLAS picks its kernels for the processor at run time. The threaded build is asked for by name and told to
# use one thread (compute/product.cpp): threads are ours (base/parallel), and the serial build is not safe to call
# from several of them at once: it returned wrong products.
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread REQUIRED)
find_path(OPENBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-pthread x86_64-linux-gnu/openblas-pthread
          aarch64-linux-gnu/openblas-pthread REQUIRED)

# Headers are needed to build the library; who links it needs the libraries alone.
add_library(bl_dependencies INTERFACE)
target_include_directories(bl_dependencies SYSTEM INTERFACE
  $<BUILD_INTERFACE:${OPENBLAS_INCLUDE_DIR}> $<BUILD_INTERFACE:${TOMLPLUSPLUS_INCLUDE_DIR}>
  $<BUILD_INTERFACE:${RANDOM123_INCLUDE_DIR}>)
target_link_libraries(bl_dependencies INTERFACE
  Threads::Threads fmt::fmt ZLIB::ZLIB ${HWY_LIBRARY} ${OPENBLAS_LIBRARY}
  $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> $<BUILD_INTERFACE:Eigen3::Eigen>)
if(BL_WITH_CUDA)
  target_link_libraries(bl_dependencies INTERFACE CUDA::cudart_static ${CMAKE_DL_LIBS})
endif()
