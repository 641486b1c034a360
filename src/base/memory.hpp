// The memory of this machine.
#pragma once

namespace bl {

double physical_memory();  // bytes

}  // namespace bl
