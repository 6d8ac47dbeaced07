#include "storage/paged_listing.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"
#include "tests/support/run_task.h"

namespace det::storage {
namespace {

// A body is the name of the next page, and of a file.
Result<ListedPage> read_page(const std::string& body) {
  if (body == "none") return fail(ErrorCode::kUnavailable, "no listing");
  return ListedPage{.files = {{.path = "u/" + body}}, .continue_with = body == "last" ? "" : body};
}

struct PagedListingTest : testing::Test {
  ~PagedListingTest() override { workers.join(); }
  // `answer` of the name of a page.
  Result<std::vector<StoredFile>> list(std::function<Result<std::string>(std::string)> answer) {
    const auto fetch = [&](std::string name) -> Task<Result<HttpResponse>> {
      asked.push_back(name);
      auto body = answer(std::move(name));
      if (!body) co_return std::unexpected(body.error());
      co_return HttpResponse{.status = 200, .headers = {}, .body = std::move(*body)};
    };
    return test::run_task(io, list_pages(clock, workers, "u/", fetch, read_page));
  }

  asio::io_context io;
  test::FakeClock clock{io};
  boost::asio::thread_pool workers{1};
  std::vector<std::string> asked;
};

TEST_F(PagedListingTest, AsksForOnePageAfterTheOther) {
  const auto listed = list([](const std::string& name) { return name.empty() ? "2" : name == "2" ? "3" : "last"; });
  const std::vector<StoredFile> wanted = {{.path = "2"}, {.path = "3"}, {.path = "last"}};
  EXPECT_EQ(listed.value(), wanted);
  EXPECT_EQ(asked, (std::vector<std::string>{"", "2", "3"}));
}

TEST_F(PagedListingTest, EndsWithTheFirstFailure) {
  EXPECT_EQ(list([](const std::string&) { return fail(ErrorCode::kPermissionDenied, "no"); }).error().code,
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(list([](const std::string&) { return "none"; }).error().message, "no listing");
  EXPECT_EQ(asked.size(), 2U);
}

// A storage may be a user's own and go on for ever.
TEST_F(PagedListingTest, BoundsPages) {
  EXPECT_EQ(list([&](const std::string&) { return std::to_string(asked.size()); }).error().code,
            ErrorCode::kResourceExhausted);
  EXPECT_EQ(asked.size(), kMostPages);
  const auto circle = list([](const std::string&) { return "2"; });
  EXPECT_NE(circle.error().message.find("leads from one page to the same again"), std::string::npos);
}

TEST_F(PagedListingTest, BoundsTime) {
  const auto slow = list([&](const std::string&) {
    clock.advance(kLongestListing + std::chrono::seconds(1));
    return std::to_string(asked.size());
  });
  EXPECT_EQ(slow.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(asked.size(), 1U);
}

}  // namespace
}  // namespace det::storage
