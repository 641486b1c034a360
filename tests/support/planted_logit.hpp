// A logit of one head fitted to its minimum on all rows, with standard errors.
#pragma once

#include "bl/settings.hpp"

namespace bl::test {

inline Settings planted_logit() {
  Settings s;
  s.target = "y";
  s.single = true;
  s.utility = "identity";
  s.heads = "1,0,0";
  s.starts = 1;
  s.fractions = "1:0:0";
  s.threads = 1;
  return s;
}

}  // namespace bl::test
