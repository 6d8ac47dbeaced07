#include "cli/report_file.h"

namespace det::cli {

std::string json_in_html(const Json& data) {
  std::string text;
  for (const char c : data.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

Result<std::string> fill_report(std::string_view page, const Json& data) {
  constexpr std::string_view kElement = R"(<script id="report-data" type="application/json">)";
  const auto found = page.find(kElement);
  const auto begin = found + kElement.size();
  const auto end = found == std::string_view::npos ? found : page.find("</script>", begin);
  if (end == std::string_view::npos) {
    return fail(ErrorCode::kUnavailable,
                "the server has no page for reports: it was started without its web page, or is older than this det");
  }
  return std::string(page.substr(0, begin)) + json_in_html(data) + std::string(page.substr(end));
}

}  // namespace det::cli
