// What a fuzz target provides: the entry point that libFuzzer knows, and seeds for our own driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct FuzzSeeds {
  std::vector<std::string> inputs;  // valid or nearly valid inputs
  std::vector<std::string> words;   // pieces that mean something in the format
};

FuzzSeeds fuzz_seeds();

// Returns 0 whether the input is accepted or refused with one of the library's errors; anything else that is
// thrown, and any broken promise about an accepted input, ends the program.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
