# The GPU engine (src/engine/cuda): built where nvcc is found, left out otherwise. Never a requirement.
set(BL_CUDA "AUTO" CACHE STRING "The GPU engine: AUTO (built where nvcc is found), ON, OFF")
set(BL_WITH_CUDA OFF)
if(NOT BL_CUDA STREQUAL "OFF" AND NOT BL_SANITIZE)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    find_package(CUDAToolkit QUIET)
  endif()
  if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND AND TARGET CUDA::cudart_static)
    # One binary for Hopper, and code that the driver of any GPU since 2018 translates.
    if(NOT CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real)
    endif()
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # older versions of CMake do not know that nvcc has it
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    string(REGEX REPLACE "-DNDEBUG *" "" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
    set(BL_WITH_CUDA ON)
  elseif(BL_CUDA STREQUAL "ON")
    message(FATAL_ERROR "BL_CUDA is ON, but nvcc or the static CUDA runtime was not found; set CUDACXX, or BL_CUDA=OFF")
  endif()
endif()

# Objects of CUDA sources. 554: a conversion of MatrixView that is never called, said of a host header.
function(bl_cuda_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
    ${PROJECT_SOURCE_DIR}/bench ${RANDOM123_INCLUDE_DIR})
  target_compile_options(${name} PRIVATE --expt-relaxed-constexpr -Xcudafe --diag_suppress=554)
endfunction()

# The engine into the library.
function(bl_add_cuda target)
  if(NOT BL_WITH_CUDA)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/engine/cuda/*.cu)
  bl_cuda_objects(bl_cuda ${sources})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:bl_cuda>)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/engine/cuda/absent.cpp PROPERTIES COMPILE_DEFINITIONS BL_WITH_CUDA)
endfunction()
