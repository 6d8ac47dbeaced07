#pragma once

// What a comparison of ours with upstream's found: how much was compared, and every difference with its place. One
// thread.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace det::conformance {

struct Tally {
  std::int64_t cases = 0;   // records of a file
  std::int64_t checks = 0;  // values compared in them
  std::int64_t differences = 0;
};

class Report {
 public:
  // Where the next checks belong: "searches.jsonl:3".
  void begin_case(std::string kind, std::string place);
  // Compares one value; the text says which.
  void expect(const std::string& what, const nlohmann::json& expected, const nlohmann::json& got);
  // The same up to rounding: upstream adds some sums in random order.
  void expect_near(const std::string& what, double expected, double got);
  void expect_true(const std::string& what, bool holds, const nlohmann::json& got);
  // Something that could not be compared at all.
  void fail(const std::string& what, const std::string& why);

  [[nodiscard]] const std::map<std::string, Tally>& tallies() const { return tallies_; }
  [[nodiscard]] const std::vector<std::string>& differences() const { return differences_; }

 private:
  void differ(const std::string& what, const std::string& expected, const std::string& got);

  std::string kind_;
  std::string place_;
  std::map<std::string, Tally> tallies_;  // by kind
  std::vector<std::string> differences_;
};

}  // namespace det::conformance
