#include "api/cluster/prometheus_text.h"

namespace det::api {

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
  text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void PrometheusText::sample(Labels labels, std::string_view value) {
  text_.append(name_);
  char separator = '{';
  for (const auto& [label, content] : labels) {
    text_.append(1, separator).append(label).append("=\"");
    for (const char c : content) {
      if (c == '\n') {
        text_ += "\\n";
        continue;
      }
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c;
    }
    text_ += '"';
    separator = ',';
  }
  if (labels.size() > 0) text_ += '}';
  text_.append(" ").append(value).append("\n");
}

void PrometheusText::single(std::string_view name, std::string_view type, std::string_view help,
                            std::string_view value) {
  family(name, type, help);
  sample({}, value);
}

http::Response PrometheusText::response() && {
  http::Response response;
  response.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.body = std::move(text_);
  return response;
}

}  // namespace det::api
