#pragma once

// Values as the tables of the Python command line print them. Pure.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/world.h"

namespace det::cli {

using Json = nlohmann::json;

// "8.6KB": powers of 1024, one digit.
[[nodiscard]] std::string size_text(double bytes);
// An API time as "2026-11-21 17:20:14+0000"; null stays null.
[[nodiscard]] Json time_cell(const Json& time);
// 0.5 as "50.0%"; null stays null.
[[nodiscard]] Json percent_cell(const Json& share);
// "STATE_COMPLETED" as "COMPLETED".
[[nodiscard]] std::string state_text(const Json& state);
// Of experiments and trials: "COMPLETED", "ERROR" or "CANCELED".
[[nodiscard]] bool is_end(std::string_view state);
// Four spaces a level, ASCII only, as it stands in cells.
[[nodiscard]] std::string cell_json(const Json& value);
// Two spaces a level, keys sorted: what --json prints.
[[nodiscard]] std::string pretty_json(const Json& value);
// object[key], or null when there is no such key.
[[nodiscard]] Json field(const Json& object, std::string_view key);
// The same as text; empty for null.
[[nodiscard]] std::string text_field(const Json& object, std::string_view key);
[[nodiscard]] std::int64_t integer_field(const Json& object, std::string_view key);

// A v1LogEntry of the master's log as a line, without its newline.
[[nodiscard]] std::string master_log_line(const Json& entry);

// A metric of an answer, which has what JSON has no number for as a text ("NaN", "Infinity").
[[nodiscard]] double metric_number(const Json& value);

enum class Color { kGreen, kYellow, kRed };
// `text` in that color when `is_terminal`.
[[nodiscard]] std::string colored(std::string_view text, Color color, bool is_terminal);

}  // namespace det::cli
