#include "wire/forms.h"

#include <cmath>
#include <string_view>

namespace det::wire {

Json time(WallTime time) {
  std::string text = format_rfc3339_micros(time);
  constexpr std::string_view kWholeSecond = ".000000Z", kWholeMilli = "000Z";
  if (text.ends_with(kWholeSecond)) {
    text.replace(text.size() - kWholeSecond.size(), kWholeSecond.size(), "Z");
  } else if (text.ends_with(kWholeMilli)) {
    text.replace(text.size() - kWholeMilli.size(), kWholeMilli.size(), "Z");
  }
  return text;
}

Json time_or_null(const std::optional<WallTime>& at) {
  return at ? time(*at) : Json();
}

Json int64(std::int64_t value) {
  return std::to_string(value);
}

Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json to_json(const Pagination& page) {
  return {{"offset", page.offset},
          {"limit", page.limit},
          {"startIndex", page.start},
          {"endIndex", page.end},
          {"total", page.total}};
}

Json whole_list(std::size_t total) {
  const auto count = static_cast<std::int64_t>(total);
  return to_json(Pagination{.offset = 0, .limit = 0, .start = 0, .end = count, .total = count});
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace det::wire
