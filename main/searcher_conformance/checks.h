#pragma once

// One function per kind of recorded data: computes what the record says was computed, and reports every difference.
// They throw nlohmann::json exceptions for records that lack a field.

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "main/conformance/report.h"

namespace det::conformance {

enum class Kind : std::uint8_t {
  kPrng,
  kHparamSamples,
  kNestedUnordered,
  kGrids,
  kRungs,
  kBrackets,
  kGoMath,
  kSearches,
  kLegacySearches,
};

[[nodiscard]] std::string_view to_string(Kind kind);
// By the beginning of the file's name; nullopt when none fits.
[[nodiscard]] std::optional<Kind> kind_of_file(std::string_view name);
// By the fields that only one kind has.
[[nodiscard]] std::optional<Kind> kind_of_record(const nlohmann::json& record);

void check_record(Kind kind, const nlohmann::json& record, Report& report);

void check_prng(const nlohmann::json& record, Report& report);
void check_hparam_samples(const nlohmann::json& record, Report& report);
void check_nested_unordered(const nlohmann::json& record, Report& report);
void check_grid(const nlohmann::json& record, Report& report);
void check_rungs(const nlohmann::json& record, Report& report);
void check_brackets(const nlohmann::json& record, Report& report);
void check_go_math(const nlohmann::json& record, Report& report);
// Feeds every event and compares decisions, progress and snapshots; goes on from each recorded snapshot as well.
void check_search(const nlohmann::json& record, Report& report);

// The hyperparameter section as searches take it.
[[nodiscard]] nlohmann::json normalised(nlohmann::json space);

// The list `name` of a record; empty when it has none.
[[nodiscard]] const nlohmann::json& list(const nlohmann::json& record, const char* name);

}  // namespace det::conformance
