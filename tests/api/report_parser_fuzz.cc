#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/report_parser.h"

// What parse_report accepts has one value per name, and its texts can be printed as JSON.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto report = det::api::parse_report({reinterpret_cast<const char*>(data), size});
  if (!report) return 0;
  if (report->metrics.names.size() != report->metrics.values.size() || report->group.empty()) std::abort();
  if (report->metrics.extra.dump().empty()) std::abort();
  return 0;
}
