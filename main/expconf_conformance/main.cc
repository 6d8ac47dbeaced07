// expconf_conformance DIR: runs conformance cases of the experiment configuration (Determined's, or ours) against our
// schemas, and says what differs.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/yaml.h"
#include "main/conformance/report.h"
#include "main/expconf_conformance/check_case.h"

namespace {

using det::conformance::Report;
using nlohmann::json;
namespace fs = std::filesystem;

// Every case of one file; its number.
std::size_t check_file(const fs::path& path, Report& report) {
  const std::string name = path.filename().string();
  const auto refuse = [&](const std::string& why) {
    report.begin_case("unreadable", name);
    report.fail("file", why);
    return std::size_t{0};
  };
  std::ifstream file(path);
  if (!file) return refuse("it cannot be opened");
  std::stringstream content;
  content << file.rdbuf();
  const auto cases = det::parse_yaml(content.str());
  if (!cases) return refuse(cases.error().message);
  if (!cases->is_array()) return refuse("a list of cases was expected");
  for (std::size_t i = 0; i < cases->size(); ++i) {
    const json& given = (*cases)[i];
    const bool has_name = given.is_object() && given.contains("name") && given["name"].is_string();
    const std::string title = has_name ? given["name"].get<std::string>() : "case " + std::to_string(i + 1);
    check_case(given, name + ": " + title, report);
  }
  return cases->size();
}

int print(const Report& report, std::size_t files, std::size_t cases) {
  for (const auto& [kind, tally] : report.tallies()) {
    std::printf("%-20s %5lld cases %6lld checks %6lld failures\n", kind.c_str(), static_cast<long long>(tally.cases),
                static_cast<long long>(tally.checks), static_cast<long long>(tally.differences));
  }
  for (const std::string& difference : report.differences()) std::printf("%s\n", difference.c_str());
  std::printf("%zu cases in %zu files, %zu failures\n", cases, files, report.differences().size());
  if (cases == 0) std::printf("no case was found (files called *.yaml or *.yml are read)\n");
  return report.differences().empty() && cases > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Checks our experiment configuration schemas against conformance cases");
  std::string folder;
  app.add_option("DIR", folder, "folder of case files (*.yaml)")->required();
  CLI11_PARSE(app, argc, argv);
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    const auto extension = entry.path().extension();
    if (entry.is_regular_file() && (extension == ".yaml" || extension == ".yml")) files.push_back(entry.path());
  }
  if (error) {
    std::fprintf(stderr, "%s: %s\n", folder.c_str(), error.message().c_str());
    return 2;
  }
  std::ranges::sort(files);
  Report report;
  std::size_t cases = 0;
  for (const fs::path& file : files) cases += check_file(file, report);
  return print(report, files.size(), cases);
}
