#pragma once

// Options of Determined's command line that this one has not on purpose: who gives one is told what to use instead.
// Pure. docs/cli.md lists them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace det::cli {

// Why the first of `unknown`, arguments that `command` ("det experiment create") does not know, which is such an option
// is not here: "--publish: ...". Nothing where none is.
[[nodiscard]] std::optional<std::string> why_refused(std::string_view command, const std::vector<std::string>& unknown);

}  // namespace det::cli
