#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/trials/plain_report.h"
#include "api/trials/report_parser.h"

// What parse_report accepts has one value per name, and its texts can be printed as JSON. The short cut for plain
// reports says what the long way says.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  if (const auto plain = det::api::read_plain_report(body)) {
    const auto slow = det::api::parse_any_report(body);
    if (!slow || *slow != *plain) std::abort();
  }
  const auto report = det::api::parse_report(body);
  if (!report) return 0;
  if (report->metrics.names.size() != report->metrics.values.size() || report->group.empty()) std::abort();
  if (report->metrics.extra.dump().empty()) std::abort();
  return 0;
}
