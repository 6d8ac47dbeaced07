#include "api/pages/upstream_pages.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/gzip.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// A folder as Determined's image has it.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("upstream-pages-" + uuid_v4())) {
    fs::create_directories(path / "assets");
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }

  fs::path path;
};

constexpr const char* kHtml =
    "<head><script type=\"module\" src=\"/det/assets/main-a1.js\"></script></head><body>their page"
    "<SCRIPT>one()</SCRIPT>\n<script nonce=x>two()</script></body>";

struct TheirPages : ApiTest {
  TheirPages() {
    folder.write("index.html", kHtml);
    folder.write("robots.txt", "none");
    folder.write("assets/main-a1.js", script);
    folder.write("assets/main-a1.js.map", "a map");
    folder.write("assets/font-b2.woff2", std::string(5'000, 'f'));
    pages = UpstreamPages::read(folder.path).value();
    services.upstream_pages = &pages;
    token.clear();
    is_as_described = false;  // queries of the pages' addresses are their own
  }
  static std::string field(const Answer& answer, std::string_view name) {
    return std::string(answer.headers.find(name).value_or(""));
  }

  const std::string script = std::string(100'000, 'x');
  Folder folder;
  UpstreamPages pages;
};

TEST_F(TheirPages, EveryAddressBelowDetGivesTheIndex) {
  for (const char* path : {"/det", "/det/", "/det/dashboard", "/det/experiments/3/overview?f_flat_runs=off",
                           "/det/login", "/det/login?hard_logout=true", "/det/no-such-page", "/det/index.html"}) {
    const Answer answer = get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_THAT(answer.text, HasSubstr("their page")) << path;
    EXPECT_EQ(field(answer, "Cache-Control"), "no-cache") << path;
    EXPECT_EQ(field(answer, "Content-Type"), "text/html; charset=utf-8") << path;
  }
  EXPECT_EQ(get("/det/robots.txt").text, "none");
}

TEST_F(TheirPages, FilesAreWhatTheyAreOrAreNotThere) {
  const Answer plain = get("/det/assets/main-a1.js");
  EXPECT_EQ(plain.text, script);
  EXPECT_EQ(field(plain, "Cache-Control"), "public, max-age=31536000, immutable");
  headers = {{"Accept-Encoding", "gzip, br"}};
  const Answer packed = get("/det/assets/main-a1.js");
  EXPECT_EQ(field(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(packed.text, gzip(script).value());
  EXPECT_LT(packed.text.size(), 1'000U);
  EXPECT_EQ(field(get("/det/assets/font-b2.woff2"), "Content-Encoding"), "") << "is packed already";
  headers = {{"If-None-Match", field(plain, "ETag")}};
  EXPECT_EQ(get("/det/assets/main-a1.js").status, 304);
  headers = {};
  // Kept for a year, a page in place of a script would stay.
  EXPECT_EQ(get("/det/assets/main-old.js").status, 404);
  EXPECT_EQ(get("/det/assets/main-a1.js.map").status, 404);
  EXPECT_EQ(get("/det/customer-assets/logo").status, 404);
}

TEST_F(TheirPages, RunNoScriptsButTheirOwn) {
  const std::string policy = field(get("/det/"), "Content-Security-Policy");
  const auto source = [](const std::string& text) {
    return "'sha256-" + base64_encode(hex_decode(sha256_hex(text)).value()) + "'";
  };
  EXPECT_THAT(policy, HasSubstr("default-src 'none';"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none';"));
  EXPECT_THAT(policy, testing::EndsWith("script-src 'self' " + source("one()") + " " + source("two()")));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe-eval")));
  EXPECT_THAT(policy, Not(HasSubstr("http")));
  EXPECT_EQ(field(get("/det/assets/main-a1.js"), "X-Content-Type-Options"), "nosniff");
}

TEST_F(TheirPages, WhatIsOursStaysOurs) {
  EXPECT_THAT(get("/det/login?redirect=%2Fproxy%2Fx").text, HasSubstr("<form id=\"login\""))
      << "the proxy's strangers come back to the task";
  EXPECT_EQ(get("/det/login.js").status, 200);
  EXPECT_EQ(get("/det/wait/notebook/x").status, 303) << "strangers log in first";
  EXPECT_EQ(get("/det/interactive/x/notebook/y").status, 303);
  EXPECT_EQ(get("/").status, 200);
  EXPECT_EQ(get("/ui/").status, 404);
  EXPECT_EQ(call("POST", "/det/dashboard", "{}").status, 404);
}

TEST(TheirPagesFolder, IsReadOnceAndWithinBounds) {
  const Folder folder;
  folder.write("assets/a.js", "1");
  const auto none = UpstreamPages::read(folder.path);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(none.error().message, HasSubstr(folder.path.string() + " has no index.html: name the folder"));
  EXPECT_EQ(UpstreamPages::read(folder.path / "missing").error().code, ErrorCode::kNotFound);
  folder.write("index.html", "<script>never ends");
  std::ofstream(folder.path.string() + "-secret") << "secret";
  fs::create_symlink(folder.path.string() + "-secret", folder.path / "assets/link.js");
  const auto pages = UpstreamPages::read(folder.path);
  ASSERT_TRUE(pages) << pages.error().message;
  EXPECT_NE(pages->find("assets/a.js"), nullptr);
  for (const char* name : {"assets/link.js", "../index.html", "index.html", "", "assets", "/etc/passwd"}) {
    EXPECT_EQ(pages->find(name), nullptr) << name;
  }
  fs::remove(folder.path.string() + "-secret");
  for (std::size_t i = 0; i < UpstreamPages::kMostFiles; ++i) folder.write("f" + std::to_string(i), "");
  const auto many = UpstreamPages::read(folder.path);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace det::api
