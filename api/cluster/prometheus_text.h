#pragma once

// Writes the text exposition format of Prometheus, version 0.0.4. Pure.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "http/message.h"

namespace det::api {

class PrometheusText {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // Samples that follow are of this family. `type` is "gauge" or "counter".
  void family(std::string_view name, std::string_view type, std::string_view help);
  // Values of labels may be any text.
  void sample(Labels labels, std::string_view value);
  // A family of one sample without labels.
  void single(std::string_view name, std::string_view type, std::string_view help, std::string_view value);

  // What was written, with the format's media type.
  [[nodiscard]] http::Response response() &&;

 private:
  std::string name_;
  std::string text_;
};

}  // namespace det::api
