#include "base/audit_log.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <stdlib.h>
#include <sys/stat.h>

#include "tests/support/fake_clock.h"

namespace det {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct TempFolder {
  std::string path = "/tmp/audit-test-XXXXXX";
  TempFolder() { EXPECT_NE(::mkdtemp(path.data()), nullptr); }
  ~TempFolder() { std::filesystem::remove_all(path); }
};

AuditEvent refusal_from(std::string address) {
  AuditEvent event;
  event.action = "login";
  event.from = std::move(address);
  event.status = 401;
  return event;
}

TEST(AuditLine, LeavesOutWhatIsNotKnown) {
  AuditEvent event;
  event.action = "logout";
  event.user = "ann";
  EXPECT_EQ(audit_line(event), R"({"audit":"logout","time":"1970-01-01T00:00:00.000000Z","user":"ann"})");
}

TEST(AuditLine, ShowsNoControlCharacterAndCutsLongTexts) {
  AuditEvent event;
  event.action = "login";
  event.user = "a\x1b[2J\n\"\xc2\x9b" + std::string(1'000, 'x') + "\xff";
  const std::string line = audit_line(event);
  EXPECT_THAT(line, Not(HasSubstr("\x1b")));
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  EXPECT_THAT(line, Not(HasSubstr("\xc2\x9b")));
  EXPECT_LT(line.size(), 500U);
  EXPECT_EQ(nlohmann::json::parse(line).at("audit"), "login");
}

struct AuditLogTest : testing::Test {
  asio::io_context io;
  test::FakeClock clock{io};
  AuditLog log{clock};
  std::vector<AuditEvent> told;

  AuditLogTest() {
    log.set_listener([this](const AuditEvent& event) { told.push_back(event); });
  }
  std::vector<std::string> actions() const {
    std::vector<std::string> found;
    for (const AuditEvent& event : told) found.push_back(event.action);
    return found;
  }
};

TEST_F(AuditLogTest, AppendsToAFileOfItsOwn) {
  const TempFolder folder;
  const std::string file = folder.path + "/audit.jsonl";
  ASSERT_TRUE(log.open(file));
  AuditEvent event;
  event.action = "user.create";
  log.record(event);
  {
    AuditLog again(clock);
    ASSERT_TRUE(again.open(file));
    again.record(event);
  }
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(lines[0]).at("audit"), "user.create");
  struct stat status{};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(AuditLogTest, TakesTheProgramsOwnOutputsAndNoOtherLink) {
  for (const char* output : {"/dev/stdout", "/dev/stderr", "/proc/self/fd/1", "/proc/self/fd/2"}) {
    AuditLog one(clock);
    EXPECT_TRUE(one.open(output)) << output;
  }
  const TempFolder folder;
  std::filesystem::create_symlink("/dev/null", folder.path + "/link");
  EXPECT_FALSE(log.open(folder.path + "/link"));
}

TEST_F(AuditLogTest, SaysWhichFileCannotBeOpened) {
  const TempFolder folder;
  const Status opened = log.open(folder.path + "/missing/audit");
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("audit.file: cannot open " + folder.path + "/missing/audit"));
}

TEST_F(AuditLogTest, AFloodOfRefusalsIsCountedAndHidesNobodyElse) {
  ASSERT_TRUE(log.open("/dev/null"));
  for (int i = 0; i < AuditLog::kRefusalsPerMinute + 40; ++i) log.record(refusal_from("10.0.0.1"));
  EXPECT_EQ(told.size(), static_cast<std::size_t>(AuditLog::kRefusalsPerMinute));
  told.clear();
  log.record(refusal_from("10.0.0.2"));
  AuditEvent right;
  right.action = "login";
  right.from = "10.0.0.1";
  right.status = 200;
  log.record(right);
  EXPECT_THAT(actions(), ElementsAre("login", "login"));
  told.clear();
  clock.advance(std::chrono::minutes(2));
  log.record(right);
  ASSERT_THAT(actions(), ElementsAre("suppressed", "login"));
  EXPECT_EQ(told[0].from, "10.0.0.1");
  EXPECT_EQ(told[0].reason, "40 more refusals");
}

TEST_F(AuditLogTest, AFloodFromManyAddressesTakesNoMemory) {
  ASSERT_TRUE(log.open("/dev/null"));
  for (std::size_t i = 0; i < AuditLog::kAddresses + 500; ++i) log.record(refusal_from("10.1." + std::to_string(i)));
  EXPECT_EQ(told.size(), AuditLog::kAddresses + AuditLog::kRefusalsPerMinute);
}

}  // namespace
}  // namespace det
