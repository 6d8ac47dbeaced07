#pragma once

// What a master said is wrong with a configuration, shown where it was written: file and line, the line itself, and a
// mark under what is wrong. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace det::cli {

struct WrittenConfig {
  std::string file;                    // as it was named; "-" is standard input; empty: there is none
  std::string text;                    // what is in it
  std::vector<std::string> overrides;  // of --config, "a.b=value"
};

// `message` with each line "<config>.PATH: WHAT (line N)" turned into "FILE:LINE: PATH: WHAT" and the quoted line, or
// into "from --config 'a.b=value': PATH: WHAT" where an override wrote the value. The lines are those of `text`,
// whatever was sent, and their order is that of the errors. A message without such lines stays as it is.
[[nodiscard]] std::string with_places(const std::string& message, const WrittenConfig& config);

}  // namespace det::cli
