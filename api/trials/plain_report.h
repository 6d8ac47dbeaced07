#pragma once

// The report of metrics that harnesses send all day: numbers by name. A detail of parse_report, which reads every other
// one, and all errors. Pure.

#include <optional>
#include <string_view>

#include "api/trials/report_parser.h"

namespace det::api {

// The same as parse_report's result, or nothing when the body has anything unusual.
[[nodiscard]] std::optional<ParsedReport> read_plain_report(std::string_view body);

}  // namespace det::api
