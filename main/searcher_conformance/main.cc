// searcher_conformance DIR: replays recorded data of Determined's searches against our own, and says where they differ.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "main/conformance/report.h"
#include "main/searcher_conformance/checks.h"

namespace {

using det::conformance::Kind;
using det::conformance::Report;
using nlohmann::json;
namespace fs = std::filesystem;

struct Record {
  std::string place;  // "rungs.jsonl:3"
  json value;
};

// One JSON value, or a list of records, or one record a line; nullopt when it is none of them.
std::optional<std::vector<Record>> read_records(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  const std::string text = content.str();
  const std::string name = path.filename().string();
  std::vector<Record> records;
  if (const json whole = json::parse(text, nullptr, false); !whole.is_discarded()) {
    if (!whole.is_array()) return std::vector<Record>{{.place = name + ":1", .value = whole}};
    for (std::size_t i = 0; i < whole.size(); ++i) {
      records.push_back({.place = name + ":1, element " + std::to_string(i + 1), .value = whole[i]});
    }
    return records;
  }
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    json value = json::parse(line, nullptr, false);
    if (value.is_discarded()) return std::nullopt;
    records.push_back({.place = name + ":" + std::to_string(number), .value = std::move(value)});
  }
  return records;
}

// Returns false when the file is of no kind that we know.
bool check_file(const fs::path& path, Report& report) {
  const std::string name = path.filename().string();
  const std::optional<Kind> by_name = det::conformance::kind_of_file(name);
  const auto records = read_records(path);
  if (!records) {
    if (!by_name) return false;
    report.begin_case(std::string(to_string(*by_name)), name);
    report.fail("file", "neither JSON nor lines of JSON");
    return true;
  }
  bool is_known = by_name.has_value();
  for (const Record& record : *records) {
    const std::optional<Kind> kind = by_name ? by_name : det::conformance::kind_of_record(record.value);
    if (!kind) continue;
    is_known = true;
    report.begin_case(std::string(to_string(*kind)), record.place);
    try {
      check_record(*kind, record.value, report);
    } catch (const std::exception& error) {
      report.fail("record", error.what());
    }
  }
  return is_known;
}

int print(const Report& report, std::size_t shown) {
  std::size_t cases = 0;
  for (const auto& [kind, tally] : report.tallies()) {
    std::printf("%-18s %6lld cases %9lld checks %6lld differences\n", kind.c_str(), static_cast<long long>(tally.cases),
                static_cast<long long>(tally.checks), static_cast<long long>(tally.differences));
    cases += static_cast<std::size_t>(tally.cases);
  }
  const auto& differences = report.differences();
  for (std::size_t i = 0; i < std::min(shown, differences.size()); ++i) std::printf("%s\n", differences[i].c_str());
  if (differences.size() > shown) std::printf("... and %zu more\n", differences.size() - shown);
  if (cases == 0) std::printf("nothing to compare was found\n");
  const bool is_equal = differences.empty() && cases > 0;
  std::printf("%s\n", is_equal ? "all equal" : "NOT equal");
  return is_equal ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares recorded searches of Determined with ours");
  std::string folder;
  std::size_t shown = 20;
  app.add_option("DIR", folder, "folder of recorded data")->required();
  app.add_option("--differences", shown, "how many differences to print");
  CLI11_PARSE(app, argc, argv);
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  if (error) {
    std::fprintf(stderr, "%s: %s\n", folder.c_str(), error.message().c_str());
    return 2;
  }
  std::ranges::sort(files);
  Report report;
  for (const fs::path& file : files) {
    if (!check_file(file, report)) std::printf("%s: not recognised\n", file.filename().c_str());
  }
  return print(report, shown);
}
