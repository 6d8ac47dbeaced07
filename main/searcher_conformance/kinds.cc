#include <array>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "main/searcher_conformance/checks.h"
#include "model/expconf/hyperparameters.h"

namespace det::conformance {
namespace {

using nlohmann::json;

struct Row {
  Kind kind;
  std::string_view name;   // how its files begin
  std::string_view field;  // that only its records have
  void (*check)(const json& record, Report& report);
};

// Longer names first where one begins with another.
constexpr std::array<Row, 9> kKinds = {
    {{Kind::kPrng, "prng", "bits32_after_2000", check_prng},
     {Kind::kHparamSamples, "hparam_samples", "samples", check_hparam_samples},
     {Kind::kNestedUnordered, "nested_unordered", "possible_first_samples", check_nested_unordered},
     {Kind::kGrids, "grids", "grid", check_grid},
     {Kind::kRungs, "rungs", "units", check_rungs},
     {Kind::kBrackets, "brackets", "preview_trials", check_brackets},
     {Kind::kGoMath, "gomath", "pow", check_go_math},
     {Kind::kLegacySearches, "legacy_searches", "", check_search},
     {Kind::kSearches, "searches", "events", check_search}}};

}  // namespace

std::string_view to_string(Kind kind) {
  for (const Row& row : kKinds) {
    if (row.kind == kind) return row.name;
  }
  return "unknown";
}

std::optional<Kind> kind_of_file(std::string_view name) {
  for (const Row& row : kKinds) {
    if (name.starts_with(row.name)) return row.kind;
  }
  return std::nullopt;
}

std::optional<Kind> kind_of_record(const json& record) {
  if (!record.is_object()) return std::nullopt;
  for (const Row& row : kKinds) {
    if (!row.field.empty() && record.contains(row.field)) return row.kind;
  }
  if (record.contains("log_ratio")) return Kind::kGoMath;
  if (record.contains("bits32")) return Kind::kPrng;
  return std::nullopt;
}

void check_record(Kind kind, const json& record, Report& report) {
  for (const Row& row : kKinds) {
    if (row.kind == kind) row.check(record, report);
  }
}

const json& list(const json& record, const char* name) {
  static const json kNothing = json::array();
  const auto found = record.find(name);
  return found == record.end() ? kNothing : *found;
}

json normalised(json space) {
  model::normalise_hyperparameters(space);
  return space;
}

}  // namespace det::conformance
