# Defences that cost next to nothing, for the programs that people run: canaries on the stack, checked copies of the
# C library, addresses of imported functions read-only before main starts. The sanitizers bring their own.
include(CheckPIESupported)
check_pie_supported()
if(NOT BL_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(bl_options INTERFACE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  target_link_options(bl_options INTERFACE -Wl,-z,relro,-z,now)
endif()
