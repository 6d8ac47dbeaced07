#pragma once

// Runs det's commands against a scripted server, with a home folder of their own.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "cli/program.h"
#include "cli/text.h"
#include "tests/support/fake_transport.h"
#include "tests/support/run_task.h"

namespace det::cli {

// Sleeping takes no time, but moves the clock on.
class InstantClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady_now() const override { return SteadyTime(slept_); }
  [[nodiscard]] WallTime wall_now() const override { return WallTime() + std::chrono::hours(500'000); }
  Task<void> sleep_for(std::chrono::nanoseconds duration) override {
    slept_ += duration;
    co_return;
  }
  [[nodiscard]] std::chrono::nanoseconds slept() const { return slept_; }

 private:
  std::chrono::nanoseconds slept_{0};
};

// A folder that goes with the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "det-cli.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Writes a file, with the folders above it.
  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
    return (path_ / name).string();
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(path_ / name);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

struct CliTest : testing::Test {
  // The answers to "who am I" and the login that a fresh home needs.
  void log_in() { http.answer(200, {{"token", "T"}, {"user", {{"username", "determined"}}}}); }
  Outcome det(std::vector<std::string> arguments) {
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
        .fetch_certificates = [this](std::string url) -> Task<Result<std::string>> {
          co_return fetch_certificates(url);
        },
        .home = folder.path(),
        .program = folder.path() / "det",
        .on_interrupt = {}};
    Program program;
    const int code = test::run_task(io, program.run(world, std::move(arguments)));
    return {.code = code, .out = out.str(), .err = err.str()};
  }
  [[nodiscard]] Json sent(std::size_t index) const { return Json::parse(http.requests().at(index).body); }

  asio::io_context io;
  InstantClock instant;
  Clock* clock = nullptr;  // instead of the instant one
  test::FakeTransport http{io.get_executor(), instant};
  TempFolder folder;
  std::map<std::string, std::string> variables;
  bool in_is_terminal = true;
  bool out_is_terminal = false;
  bool reader_has_left = false;  // of the output
  std::vector<std::string> answers;
  std::vector<std::string> prompts;
  std::function<Result<int>(const std::vector<std::string>& argv)> run_program;  // in the foreground
  std::function<std::string(const std::string& url)> fetch_certificates;         // what a master sends, as PEM
  std::vector<std::vector<std::string>> started;                                 // in the background
};

}  // namespace det::cli
