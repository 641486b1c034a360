# Flags of every target of ours: warnings, and the sanitizers of the asan and tsan presets.
add_library(bl_options INTERFACE)
set(bl_cxx_flags -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Werror=switch  # a kind that a switch forgets
  -Wno-psabi -fno-math-errno
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # g++ 12 warns falsely about "text" + std::string (GCC bug 105651)
  # New versions of Clang report what libstdc++ 12 itself uses in stable_sort.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
# A fixed order of sums is a promise (same bits): the compiler may not reassociate, nor fuse where it likes.
list(APPEND bl_cxx_flags -ffp-contract=off)
target_compile_options(bl_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${bl_cxx_flags}>")
if(BL_SANITIZE)
  # Of targets with the property BL_PLAIN only the program that they start is instrumented.
  target_compile_options(bl_options INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:BL_PLAIN>>>:
    -fsanitize=${BL_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
  target_link_options(bl_options INTERFACE -fsanitize=${BL_SANITIZE})
endif()
