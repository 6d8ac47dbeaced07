#include "tests/support/golden.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace det::test {

void expect_golden(const std::string& path, const std::string& text) {
  const std::string file = "tests/" + path;
  if (std::getenv("DET_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(file) << text;
    return;
  }
  std::ifstream in(file);
  const std::string wanted{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, wanted) << file << " differs; DET_REWRITE_GOLDEN=1 rewrites it";
}

}  // namespace det::test
