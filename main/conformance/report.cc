#include "main/conformance/report.h"

#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

namespace det::conformance {
namespace {

using nlohmann::json;

constexpr double kTolerance = 1e-12;
constexpr std::size_t kLongest = 600;

std::string shortened(std::string text) {
  if (text.size() <= kLongest) return text;
  return text.substr(0, kLongest) + "... (" + std::to_string(text.size()) + " characters)";
}

// Only what differs of large values.
std::string difference_of(const json& expected, const json& got) {
  if (expected.dump().size() + got.dump().size() < kLongest) return {};
  return " (from expected to got: " + shortened(json::diff(expected, got).dump()) + ")";
}

}  // namespace

void Report::begin_case(std::string kind, std::string place) {
  kind_ = std::move(kind);
  place_ = std::move(place);
  ++tallies_[kind_].cases;
}

void Report::differ(const std::string& what, const std::string& expected, const std::string& got) {
  ++tallies_[kind_].differences;
  differences_.push_back(place_ + ": " + what + ": expected " + expected + ", got " + got);
}

void Report::expect(const std::string& what, const json& expected, const json& got) {
  ++tallies_[kind_].checks;
  if (expected == got) return;
  differ(what, shortened(expected.dump()), shortened(got.dump()) + difference_of(expected, got));
}

void Report::expect_near(const std::string& what, double expected, double got) {
  ++tallies_[kind_].checks;
  if (std::abs(expected - got) <= kTolerance) return;
  differ(what, json(expected).dump(), json(got).dump());
}

void Report::expect_true(const std::string& what, bool holds, const json& got) {
  ++tallies_[kind_].checks;
  if (!holds) differ(what, "it to hold", shortened(got.dump()));
}

void Report::fail(const std::string& what, const std::string& why) {
  ++tallies_[kind_].checks;
  ++tallies_[kind_].differences;
  differences_.push_back(place_ + ": " + what + ": " + why);
}

}  // namespace det::conformance
