// A digest of a model file's contents: damage in storage or transfer, and edits, do not go unnoticed. It is
// no signature: whoever wants to can write another one.
#pragma once

#include <string>

#include "artifact/safetensors.hpp"

namespace bl::artifact {

// Over every tensor (name, kind, shape, bytes) and all metadata but the digest itself; 16 hexadecimal digits.
std::string digest_of(const TensorFile& file);

void add_digest(TensorFile& file);

bool has_digest(const TensorFile& file);  // files of earlier versions have none
// True where there is none.
bool digest_holds(const TensorFile& file);

}  // namespace bl::artifact
