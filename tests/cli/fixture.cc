#include "tests/cli/fixture.h"

#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "cli/program.h"

namespace det::cli {

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "det-cli.XXXXXX").string();
  path_ = ::mkdtemp(name.data());
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::write(const std::string& name, const std::string& content) const {
  std::filesystem::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name) << content;
  return (path_ / name).string();
}

std::string TempFolder::read(const std::string& name) const {
  std::ifstream in(path_ / name);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Outcome CliTest::det(std::vector<std::string> arguments) {
  std::ostringstream out;
  std::ostringstream err;
  if (reader_has_left) out.setstate(std::ios::badbit);
  World world{
      .http = http,
      .clock = clock != nullptr ? *clock : instant,
      .out = out,
      .err = err,
      .out_is_terminal = out_is_terminal,
      .in_is_terminal = in_is_terminal,
      .variable = [this](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      },
      .ask = [this](const std::string& prompt, bool) -> std::optional<std::string> {
        prompts.push_back(prompt);
        if (answers.empty()) return std::nullopt;
        const std::string answer = answers.front();
        answers.erase(answers.begin());
        return answer;
      },
      .run_program = [this](std::vector<std::string> argv) -> Task<Result<int>> { co_return run_program(argv); },
      .start_program = [this](const std::vector<std::string>& argv) -> Status {
        if (argv.front() == "missing") return fail(ErrorCode::kNotFound, "no such program");
        started.push_back(argv);
        return {};
      },
      .fetch_certificates = [this](std::string url) -> Task<Result<std::string>> { co_return fetch_certificates(url); },
      .home = folder.path(),
      .program = folder.path() / "det",
      .on_interrupt = {}};
  Program program;
  const int code = test::run_task(io, program.run(world, std::move(arguments)));
  return {.code = code, .out = out.str(), .err = err.str()};
}

}  // namespace det::cli
