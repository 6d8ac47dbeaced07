#pragma once

// Golden files: text that must not change unnoticed. DET_REWRITE_GOLDEN=1 in the environment writes them anew; look at
// the diff before committing it. Tests run in the root of the source tree.

#include <string>

namespace det::test {

// Fails the running test when `text` differs from tests/<path>.
void expect_golden(const std::string& path, const std::string& text);

}  // namespace det::test
