// Temporary files that a killed process left behind.
#pragma once

#include <string>

namespace bl {

// The name of a temporary file of this process: FOLDER/.bl-PID-NUMBER.tmp.
std::string temporary_name(const std::string& folder, unsigned number);

// Marks the open temporary file as in use as long as it is open, also for processes that do not see this one
// (another machine, another container).
void hold_temporary(int descriptor) noexcept;

// Removes the temporary files of processes that are gone, unless someone holds them. Once per folder and
// process; what cannot be removed stays.
void sweep_stale_files(const std::string& folder) noexcept;

}  // namespace bl
