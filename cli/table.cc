#include "cli/table.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/short_number.h"
#include "cli/text.h"

namespace det::cli {
namespace {

using nlohmann::json;

// From the most to the least special: a column is as general as its most general cell.
enum class Kind : std::uint8_t { kNothing, kBoolean, kInteger, kNumber, kText };

std::optional<double> as_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_integer(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Kind kind_of(const json& cell) {
  if (cell.is_null()) return Kind::kNothing;
  if (cell.is_boolean()) return Kind::kBoolean;
  if (cell.is_number_float()) return Kind::kNumber;
  if (cell.is_number()) return Kind::kInteger;
  if (!cell.is_string()) return Kind::kText;
  const auto& text = cell.get_ref<const std::string&>();
  if (text.empty()) return Kind::kNothing;
  if (text == "True" || text == "False") return Kind::kBoolean;
  if (is_integer(text)) return Kind::kInteger;
  return as_number(text) ? Kind::kNumber : Kind::kText;
}

std::string plain_text(const json& cell) {
  if (cell.is_null()) return "";
  if (cell.is_boolean()) return cell.get<bool>() ? "True" : "False";
  if (cell.is_string()) return cell.get<std::string>();
  return cell.is_structured() ? cell_json(cell) : cell.dump();
}

// Metrics of nested names are short, too.
json shortened(json value) {
  if (value.is_number_float()) return json::parse(short_number(value.get<double>()), nullptr, false);
  if (value.is_structured()) {
    for (json& member : value) member = shortened(std::move(member));
  }
  return value;
}

std::string cell_text(const json& cell, Kind column) {
  if (cell.is_structured()) return cell_json(shortened(cell));
  if (column != Kind::kNumber || kind_of(cell) == Kind::kNothing) return plain_text(cell);
  double value = 0;
  if (cell.is_number()) {
    value = cell.get<double>();
  } else if (cell.is_string()) {
    value = as_number(cell.get_ref<const std::string&>()).value_or(0);
  }
  return short_number(value);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (true) {
    const auto end = text.find('\n', start);
    lines.push_back(text.substr(start, end == std::string::npos ? end : end - start));
    if (end == std::string::npos) return lines;
    start = end + 1;
  }
}

// Characters, not bytes: names may be in any language.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t digits_after_point(const std::string& text) {
  if (text.empty() || text.find_first_not_of("+-0123456789.eE") != std::string::npos) return 0;
  auto at = text.rfind('.');
  if (at == std::string::npos) at = text.find_first_of("eE");
  return at == std::string::npos ? 0 : text.size() - at;  // with the point itself
}

struct Column {
  Kind kind = Kind::kNothing;
  std::vector<std::vector<std::string>> cells;  // lines of each row
  std::size_t width = 0;
  [[nodiscard]] bool stands_right() const { return kind == Kind::kInteger || kind == Kind::kNumber; }
};

void align_points(Column& column) {
  std::size_t most = 0;
  for (const auto& cell : column.cells) most = std::max(most, digits_after_point(cell.front()));
  for (auto& cell : column.cells) {
    const std::size_t own = digits_after_point(cell.front());
    cell.front() += std::string(most - own, ' ');
  }
}

Column make_column(const Table& table, std::size_t index) {
  Column column;
  static const json kNull;
  const auto cell_of = [&](const std::vector<json>& row) -> const json& {
    return index < row.size() ? row[index] : kNull;
  };
  for (const auto& row : table.rows) column.kind = std::max(column.kind, kind_of(cell_of(row)));
  for (const auto& row : table.rows) column.cells.push_back(lines_of(cell_text(cell_of(row), column.kind)));
  if (column.kind == Kind::kNumber) align_points(column);
  column.width = width_of(table.headers[index]) + 2;
  for (const auto& cell : column.cells) {
    for (const auto& line : cell) column.width = std::max(column.width, width_of(line));
  }
  return column;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, width_of(text)), ' ');
  return right ? space + text : text + space;
}

void add_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

std::string grid_rule(const std::vector<Column>& columns, char line) {
  std::string rule = "+";
  for (const Column& column : columns) rule += std::string(column.width + 2, line) + "+";
  return rule + "\n";
}

std::string render_grid(const Table& table) {
  std::vector<Column> columns;
  std::string head = "|";
  for (std::size_t i = 0; i < table.headers.size(); ++i) {
    columns.push_back(make_column(table, i));
    head += " " + padded(table.headers[i], columns[i].width, columns[i].stands_right()) + " |";
  }
  std::string out = grid_rule(columns, '-') + head + "\n" + grid_rule(columns, '=');
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::size_t height = 1;
    for (const Column& column : columns) height = std::max(height, column.cells[row].size());
    for (std::size_t line = 0; line < height; ++line) {
      out += "|";
      for (const Column& column : columns) {
        const auto& lines = column.cells[row];
        out += " " + padded(line < lines.size() ? lines[line] : "", column.width, column.stands_right()) + " |";
      }
      out += "\n";
    }
    out += grid_rule(columns, '-');
  }
  return out;
}

std::string csv_cell(const json& cell) {
  std::string text = plain_text(cell);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string render_table(const Table& table, TableStyle style) {
  if (style == TableStyle::kGrid) return render_grid(table);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < table.headers.size(); ++i) columns.push_back(make_column(table, i));
  std::string out;
  std::string head;
  std::string rule;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    head += (i > 0 ? "| " : " ") + padded(table.headers[i], column.width, column.stands_right()) + " ";
    rule += (i > 0 ? "+" : "") + std::string(column.width + 2, '-');
  }
  add_line(out, head);
  out += rule + "\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::size_t height = 1;
    for (const Column& column : columns) height = std::max(height, column.cells[row].size());
    for (std::size_t line = 0; line < height; ++line) {
      std::string text;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        const auto& lines = column.cells[row];
        text += (i > 0 ? "| " : " ") +
                padded(line < lines.size() ? lines[line] : std::string(), column.width, column.stands_right()) + " ";
      }
      add_line(out, text);
    }
  }
  return out;
}

std::string render_csv(const Table& table) {
  std::string out;
  const auto add_row = [&out](const auto& cells) {
    bool first = true;
    for (const auto& cell : cells) {
      if (!first) out += ',';
      first = false;
      out += csv_cell(json(cell));
    }
    out += "\r\n";
  };
  add_row(table.headers);
  for (const auto& row : table.rows) add_row(row);
  return out;
}

}  // namespace det::cli
