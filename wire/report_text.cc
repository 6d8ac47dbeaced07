#include "wire/report_text.h"

#include <charconv>
#include <cmath>
#include <set>

#include "wire/forms.h"

namespace det::wire {
namespace {

void append_integer(std::string& out, std::int64_t value) {
  char digits[24];
  const auto [end, ec] = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end);
}

// What stands between the braces.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) {}

  void add(const ReportPart& part, bool is_only_part) {
    if (part.others.empty() && is_only_part) {
      for (std::size_t i = 0; i < part.keys.size(); ++i) add_number(part.keys[i], part.values[i]);
      return;
    }
    const Json others = Json::parse(part.others.empty() ? "{}" : part.others, nullptr, false);
    for (std::size_t i = 0; i < part.keys.size(); ++i) {
      const std::string& key = part.keys[i];
      if (!seen_.emplace(key).second) continue;
      const auto other = others.find(Json::parse(key.begin(), key.end() - 1).get_ref<const std::string&>());
      if (other == others.end()) {
        add_number(key, part.values[i]);
      } else {
        begin(key);
        out_ += dump(*other);
      }
    }
  }

 private:
  void begin(const std::string& key) {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    out_ += key;
  }
  void add_number(const std::string& key, double value) {
    begin(key);
    append_number(out_, value);
  }

  std::string& out_;
  bool is_first_ = true;
  std::set<std::string_view> seen_;
};

}  // namespace

std::vector<std::string> report_keys(const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  keys.reserve(names.size());
  for (const std::string& name : names) keys.push_back(dump(name) + ':');
  return keys;
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return;
  }
  constexpr double kExact = 9'007'199'254'740'992.0;  // 2^53: above it neighbours are no longer whole numbers
  if (std::trunc(value) == value && std::abs(value) < kExact)
    return append_integer(out, static_cast<std::int64_t>(value));
  char digits[32];
  const auto [end, ec] = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end);
}

void append_report(std::string& out, const ReportHead& head, std::span<const ReportPart> parts) {
  out += R"({"trialId":)";
  append_integer(out, head.trial.value);
  out += R"(,"trialRunId":)";
  append_integer(out, head.run);
  out += R"(,"group":)";
  out += dump(std::string(head.group));
  out += R"(,"totalBatches":)";
  append_integer(out, head.steps);
  out += R"(,"endTime":")";
  out += time(head.time).get_ref<const std::string&>();
  out += R"(","id":)";
  append_integer(out, head.number);
  out += R"(,"archived":false,"metrics":{"avg_metrics":{)";
  const std::size_t begin = out.size();
  Members members(out);
  for (const ReportPart& part : parts) members.add(part, parts.size() == 1);
  out += '}';
  if (head.group == "validation") {
    const std::string metrics = out.substr(begin);
    out += R"(,"validation_metrics":{)";
    out += metrics;
  }
  if (!head.batch_metrics.empty()) {
    out += R"(,"batch_metrics":)";
    out += head.batch_metrics;
  }
  out += "}}";
}

}  // namespace det::wire
