#pragma once

// Runs det's commands against a scripted server, with a home folder of their own.

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "cli/text.h"
#include "cli/world.h"
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
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Writes a file, with the folders above it.
  std::string write(const std::string& name, const std::string& content) const;
  [[nodiscard]] std::string read(const std::string& name) const;

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
  Outcome det(std::vector<std::string> arguments);
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
