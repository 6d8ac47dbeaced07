#pragma once

// An experiment as one HTML file that needs no server: the page's report with the experiment's data in it. Pure, but
// for the command.

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/program.h"
#include "cli/text.h"

namespace det::cli {

// JSON that stands in an HTML element as nothing but text: ASCII, without <, > and &, which would end the element or
// begin a comment or a reference.
[[nodiscard]] std::string json_in_html(const Json& data);

// `page` with `data` in the element that it keeps for it. kUnavailable when there is none: then it is another page.
[[nodiscard]] Result<std::string> fill_report(std::string_view page, const Json& data);

// det experiment report.
void add_experiment_report_command(Program& program, CLI::App* group);

}  // namespace det::cli
