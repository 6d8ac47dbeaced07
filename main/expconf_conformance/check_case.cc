#include "main/expconf_conformance/check_case.h"

#include <algorithm>
#include <array>
#include <expected>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "main/expconf_conformance/test_schemas.h"
#include "model/expconf/schema_catalogue.h"

namespace det::conformance {
namespace {

using model::SchemaOp;
using nlohmann::json;

constexpr std::array<std::string_view, 11> kKeys = {
    "name",       "case",      "sane_as",  "sanity_errors", "complete_as", "completeness_errors",
    "default_as", "defaulted", "merge_as", "merge_src",     "merged"};
constexpr model::RuntimeDefaults kRuntime = {.name_seed = 1, .experiment_seed = 1};

using Answer = std::expected<json, std::string>;

Answer run(const std::string& url, SchemaOp op, const json& value, const json& source) {
  auto schema = model::find_schema(model::experiment_schemas(), url);
  if (!schema) {
    auto test_schema = model::find_schema(test_schemas(), url);
    if (test_schema) schema = test_schema;
  }
  if (!schema) return std::unexpected(schema.error().message);
  auto result = model::apply_schema(**schema, op, value, source, kRuntime);
  if (!result) return std::unexpected(join_errors(result.error()));
  return *std::move(result);
}

std::string file_of(const std::string& url) {
  return url.substr(url.rfind('/') + 1);
}

// "*" stands for anything but null.
bool matches(const json& expected, const json& got) {
  if (expected == "*") return !got.is_null();
  if (expected.type() != got.type() && !(expected.is_number() && got.is_number())) return false;
  if (!expected.is_structured()) return expected == got;
  if (expected.size() != got.size()) return false;
  if (expected.is_array()) return std::equal(expected.begin(), expected.end(), got.begin(), matches);
  return std::ranges::all_of(expected.items(), [&](const auto& member) {
    return got.contains(member.key()) && matches(member.value(), got.at(member.key()));
  });
}

class CaseCheck {
 public:
  CaseCheck(const json& given, Report& report, std::string place)
      : given_(given), instance_(given.at("case")), report_(report), place_(std::move(place)) {}

  void accepted(const char* kind, SchemaOp op) {
    if (!begin(kind)) return;
    if (!given_.at(kind).is_array()) return report_.fail(kind, "a list of URLs belongs here");
    for (const json& url : given_.at(kind)) {
      const Answer answer = run(url, op, instance_, {});
      report_.expect_true(file_of(url) + " to accept it", answer.has_value(), error_of(answer));
    }
  }

  void refused(const char* kind, SchemaOp op) {
    if (!begin(kind)) return;
    if (!given_.at(kind).is_object()) return report_.fail(kind, "a map from URLs to lists of regular expressions");
    for (const auto& [url, patterns] : given_.at(kind).items()) {
      const Answer answer = run(url, op, instance_, {});
      report_.expect_true(file_of(url) + " to refuse it", !answer.has_value(), instance_);
      for (const json& pattern : patterns) {
        const bool is_found = !answer && has_line(answer.error(), pattern.get<std::string>());
        report_.expect_true("an error of " + file_of(url) + " like /" + pattern.get<std::string>() + "/", is_found,
                            error_of(answer));
      }
    }
  }

  void defaulted() {
    if (!begin("default_as")) return;
    if (!has("defaulted")) return;
    const std::string url = given_.at("default_as");
    const Answer answer = run(url, SchemaOp::kDefault, instance_, {});
    compare("defaults of " + file_of(url), given_.at("defaulted"), answer);
    if (!answer) return;
    // What was completed once is complete.
    const Answer again = run(url, SchemaOp::kDefault, json::parse(answer->dump()), {});
    report_.expect("defaults of the defaults of " + file_of(url), *answer, again ? *again : json(again.error()));
  }

  void merged() {
    if (!begin("merge_as")) return;
    if (!has("merge_src") || !has("merged")) return;
    const std::string url = given_.at("merge_as");
    const Answer answer = run(url, SchemaOp::kMerge, instance_, given_.at("merge_src"));
    compare("merged " + file_of(url), given_.at("merged"), answer);
  }

 private:
  bool begin(const char* kind) {
    if (!given_.contains(kind)) return false;
    report_.begin_case(kind, place_);
    return true;
  }

  bool has(const char* key) {
    if (given_.contains(key)) return true;
    report_.fail(key, "the key is missing");
    return false;
  }

  static json error_of(const Answer& answer) { return answer ? json("no error") : json(answer.error()); }

  static bool has_line(const std::string& lines, const std::string& pattern) {
    const std::regex regex(pattern);
    std::size_t begin = 0;
    while (begin <= lines.size()) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      if (std::regex_search(lines.substr(begin, end - begin), regex)) return true;
      begin = end + 1;
    }
    return false;
  }

  void compare(const std::string& what, const json& expected, const Answer& answer) {
    const bool is_equal = answer && matches(expected, *answer);
    report_.expect(what, is_equal ? json() : expected, is_equal ? json() : answer ? *answer : json(answer.error()));
  }

  const json& given_;
  const json& instance_;
  Report& report_;
  std::string place_;
};

// Why `given` is no case; empty when it is one.
std::string what_is_wrong(const json& given) {
  if (!given.is_object()) return "a case is a map, not " + std::string(given.type_name());
  for (const auto& [key, value] : given.items()) {
    if (std::ranges::find(kKeys, key) == kKeys.end()) return "unknown key \"" + key + "\"";
  }
  if (!given.contains("case")) return "the key \"case\" is missing";
  const auto asks = [&](const char* key) { return given.contains(key); };
  if (!asks("sane_as") && !asks("sanity_errors") && !asks("complete_as") && !asks("completeness_errors") &&
      !asks("default_as") && !asks("merge_as")) {
    return "nothing is asked about the case";
  }
  return "";
}

}  // namespace

void check_case(const json& given, const std::string& place, Report& report) {
  const std::string wrong = what_is_wrong(given);
  if (!wrong.empty()) {
    report.begin_case("unreadable", place);
    return report.fail("case", wrong);
  }
  CaseCheck check(given, report, place);
  try {
    check.accepted("sane_as", SchemaOp::kCheckSane);
    check.refused("sanity_errors", SchemaOp::kCheckSane);
    check.accepted("complete_as", SchemaOp::kCheckComplete);
    check.refused("completeness_errors", SchemaOp::kCheckComplete);
    check.defaulted();
    check.merged();
  } catch (const std::exception& error) {
    report.fail("case", error.what());
  }
}

}  // namespace det::conformance
