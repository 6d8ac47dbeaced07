#pragma once

// Tables as users of the Python command line know them, and as CSV for programs. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace det::cli {

// Cells are null (shown empty), booleans, numbers, texts, or objects, which are shown as JSON; a text may have several
// lines. Rows may be shorter than the
// header.
struct Table {
  std::vector<std::string> headers;
  std::vector<std::vector<nlohmann::json>> rows;
};

// Lines between the columns, or around every cell.
enum class TableStyle : std::uint8_t { kPlain, kGrid };

// Columns of numbers (texts that read as numbers count) stand right, with their decimal points aligned; all others
// stand left. Numbers with a fraction have four significant digits. Ends in a newline.
[[nodiscard]] std::string render_table(const Table& table, TableStyle style = TableStyle::kPlain);
// RFC 4180 with CRLF line ends; numbers whole.
[[nodiscard]] std::string render_csv(const Table& table);

}  // namespace det::cli
