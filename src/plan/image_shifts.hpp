// Images that training sees shifted by a pixel, too: what is in them does not depend on where it stands.
#pragma once

#include <span>
#include <string>

#include "bl/settings.hpp"
#include "data/table.hpp"
#include "features/encoder.hpp"
#include "objective/row_versions.hpp"

namespace bl {

// Whether a fit of this table learns from shifted images. wide: by the rules for wide inputs. UsageError
// where shifts are asked for and cannot be.
bool plans_shifts(const Settings& settings, const Table& table, const Encoder& encoder, bool wide);

// Where images would be shifted but for missing pixels: that they are not. Empty otherwise.
std::string not_shifted_note(const Settings& settings, const Table& table, const Encoder& encoder, bool wide);

// The eight shifts by one pixel, of rows that are encoded. The border is repeated where the image has moved
// away from it. Pixels that are constant in the training rows have their value; where one that is not read
// would come in, the pixel stays as it is.
template <class T>
RowVersions<T> image_shifts(const Encoder& encoder, const Table& table, std::span<const Index> train);

}  // namespace bl
