#include "api/pages/web_page.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pages/deep_links.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHtml = "<!doctype html><head><base href=\"/ui/\" /></head><body>the page</body>";

// A folder as webui/ builds it.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("web-page-" + uuid_v4())) { fs::create_directories(path / "assets"); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
  [[nodiscard]] WebPage page() const { return WebPage::read(path).value(); }

  fs::path path;
};

struct WebPages : ApiTest {
  WebPages() {
    folder.write("index.html", kHtml);
    folder.write("icon.svg", "<svg/>");
    folder.write("assets/main-1a2b.js", script);
    folder.write("assets/main-1a2b.js.br", "as brotli");
    folder.write("assets/main-1a2b.js.gz", "as gzip");
    folder.write("assets/small-3c4d.css", "a{}");
    page = folder.page();
    services.page = &page;
    token.clear();
  }
  Answer get_with(const std::string& target, const char* name, const std::string& value) {
    headers = {{name, value}};
    const Answer answer = get(target);
    headers = {};
    return answer;
  }
  static std::string field(const Answer& answer, std::string_view name) {
    return std::string(answer.headers.find(name).value_or(""));
  }
  std::string where(const std::string& target) { return field(get(target), "Location"); }

  const std::string script = std::string(100'000, 'x');
  Folder folder;
  WebPage page;
};

TEST_F(WebPages, EveryAddressOfThePageGivesIt) {
  is_as_described = false;  // queries of the page's addresses are its own
  for (const char* path : {"/ui/", "/ui/experiments", "/ui/experiments/3/trials?sort=1", "/ui/no-such-page"}) {
    const Answer answer = get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(field(answer, "Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(field(answer, "Cache-Control"), "no-cache");
    EXPECT_THAT(answer.text, HasSubstr("the page"));
  }
  EXPECT_EQ(field(get("/ui/icon.svg"), "Content-Type"), "image/svg+xml");
}

// So it works below whatever path a proxy puts it, without being told.
TEST_F(WebPages, ItsBaseIsRelativeToTheAddress) {
  is_as_described = false;  // as above
  EXPECT_THAT(get("/ui/").text, HasSubstr("<base href=\"./\" />"));
  EXPECT_THAT(get("/ui/experiments").text, HasSubstr("<base href=\"./\" />"));
  EXPECT_THAT(get("/ui/experiments/").text, HasSubstr("<base href=\"../\" />"));
  EXPECT_THAT(get("/ui/experiments/3?x=/a/b").text, HasSubstr("<base href=\"../\" />"));
  EXPECT_THAT(get("/ui/models/a%2Fb").text, HasSubstr("<base href=\"../\" />")) << "no slash to a browser";
  EXPECT_THAT(get("/ui/experiments/3/trials").text, HasSubstr("<base href=\"../../\" />"));
  EXPECT_EQ(where("/ui"), "ui/");
  EXPECT_EQ(get("/ui/" + std::string(40, '/')).status, 404) << "nothing of ours is so deep";
}

TEST_F(WebPages, FilesWithHashedNamesAreKeptForEver) {
  const Answer answer = get("/ui/assets/main-1a2b.js");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.text, script);
  EXPECT_EQ(field(answer, "Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(field(answer, "Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(field(answer, "Content-Encoding"), "");
  EXPECT_EQ(get("/ui/assets/main-0000.js").status, 404) << "a page in place of a script would be run as one";
  EXPECT_EQ(get("/ui/assets").status, 404);
}

TEST_F(WebPages, TheFormIsTheOneThatTheClientTakes) {
  const auto coding = [this](const std::string& accepted) {
    return field(get_with("/ui/assets/main-1a2b.js", "Accept-Encoding", accepted), "Content-Encoding");
  };
  EXPECT_EQ(coding("gzip, deflate, br, zstd"), "br");
  EXPECT_EQ(coding("gzip"), "gzip");
  EXPECT_EQ(coding("br;q=0, GZIP;q=0.5"), "gzip");
  EXPECT_EQ(coding("br;q=0.000, gzip; q=0"), "");
  EXPECT_EQ(coding("brotli"), "");
  EXPECT_EQ(get_with("/ui/assets/main-1a2b.js", "Accept-Encoding", "br").text, "as brotli");
  EXPECT_EQ(field(get_with("/ui/assets/small-3c4d.css", "Accept-Encoding", "br"), "Content-Encoding"), "");
  EXPECT_EQ(field(get("/ui/assets/small-3c4d.css"), "Vary"), "Accept-Encoding");
}

TEST_F(WebPages, WhatTheClientHasIsNotSentAgain) {
  const std::string etag = field(get("/ui/"), "ETag");
  const Answer same = get_with("/ui/", "If-None-Match", "\"x\", W/" + etag);
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.text, "");
  EXPECT_EQ(get_with("/ui/", "If-None-Match", "\"x\"").status, 200);
  EXPECT_EQ(get_with("/ui/experiments/3", "If-None-Match", etag).status, 200) << "its base is another";
  headers = {{"Accept-Encoding", "br"}, {"If-None-Match", field(get("/ui/assets/main-1a2b.js"), "ETag")}};
  EXPECT_EQ(get("/ui/assets/main-1a2b.js").status, 200) << "another form of the file";
}

TEST_F(WebPages, AHeadIsAsLongAsTheFile) {
  http::Request request;
  request.method = "HEAD";
  request.target = request.path = "/ui/assets/main-1a2b.js";
  auto match = router.find("HEAD", {"ui", "assets", "main-1a2b.js"});
  request.params = std::move(match.params);
  const http::Response response = run(match.route->handler(request));
  EXPECT_EQ(response.body.size(), script.size());
  EXPECT_FALSE(response.stream);
}

TEST_F(WebPages, RunNothingThatIsNotTheirs) {
  for (const char* path : {"/ui/", "/ui/icon.svg", "/ui/assets/small-3c4d.css"}) {
    const Answer answer = get(path);
    const std::string policy = field(answer, "Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'; script-src 'self'; style-src 'self';"));
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_EQ(field(answer, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(field(answer, "Referrer-Policy"), "same-origin");
  }
}

TEST_F(WebPages, BrowsersAreLedThereAndProgramsAreNot) {
  const Answer browser = get_with("/", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
  EXPECT_EQ(browser.status, 302);
  EXPECT_EQ(field(browser, "Location"), "ui/");
  EXPECT_EQ(get_with("/", "Accept", "*/*").status, 200);
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(WebPages, AddressesOfDeterminedsPagesLeadToOurs) {
  is_as_described = false;  // as above
  EXPECT_EQ(where("/det"), "ui/");
  EXPECT_EQ(where("/det/"), "../ui/");
  EXPECT_EQ(where("/det/dashboard"), "../ui/");
  EXPECT_EQ(where("/det/experiments/7"), "../../ui/experiments/7");
  EXPECT_EQ(where("/det/experiments/7/overview"), "../../../ui/experiments/7");
  EXPECT_EQ(where("/det/experiments/7/logs"), "../../../ui/experiments/7/logs");
  EXPECT_EQ(where("/det/experiments/7/configuration"), "../../../ui/experiments/7/config");
  EXPECT_EQ(where("/det/searches/7/visualization/learning-curve"), "../../../../ui/experiments/7");
  EXPECT_EQ(where("/det/jupyter-lab/0d0c-4f1/logs?id=Notebook"), "../../../ui/tasks/0d0c-4f1/logs");
  EXPECT_EQ(where("/det/policies"), "../ui/admin/policies");
  EXPECT_EQ(where("/det/experiments/7/trials/9/logs"), "../../../../../ui/trials/9/logs");
  EXPECT_EQ(where("/det/trials/9/logs?x=1"), "../../../ui/trials/9/logs");
  EXPECT_EQ(where("/det/projects/2/experiments"), "../../../ui/projects/2");
  EXPECT_EQ(where("/det/workspaces"), "../ui/workspaces");
  EXPECT_EQ(where("/det/models/a%20b/versions"), "../../../ui/models/a%20b");
  EXPECT_EQ(where("/det/resourcepool/gpu/active"), "../../../ui/queue");
  EXPECT_EQ(where("/det/login"), "../ui/sign-in");
  EXPECT_EQ(get("/det/login?redirect=%2Fproxy%2Fx").status, 200) << "the proxy's strangers come back to the task";
  EXPECT_EQ(get("/det/login.js").status, 200);
}

// Whatever stands in the address: the way leads to /ui/ of the same server.
TEST_F(WebPages, DeepLinksLeadNowhereElse) {
  for (const char* path :
       {"/det//evil.example/", "/det/experiments//evil.example", "/det/%2F%2Fevil.example", "/det/\\\\evil.example",
        "/det/experiments/1e9", "/det/experiments/-1", "/det/trials/7%0d%0aSet-Cookie:%20a=b", "/det/models/..",
        "/det/models/%2e%2e%2f%2e%2e", "/det/workspaces/javascript:alert(1)", "/det/https:%2F%2Fevil.example",
        "/det/experiments/7/%2e%2e%2fevil", "/det/shell/../logs", "/det/shell/%2e%2e/logs", "/det/shell/evil/logs"}) {
    const std::string location = where(path);
    const auto ours = location.find_first_not_of("./");
    ASSERT_NE(ours, std::string::npos) << path;
    EXPECT_EQ(location.substr(ours, 3), "ui/") << path << " " << location;
    EXPECT_FALSE(location.starts_with('/')) << path;
    EXPECT_THAT(location, Not(HasSubstr("evil"))) << path;
    EXPECT_THAT(location.substr(ours), Not(HasSubstr(".."))) << path << " " << location;
  }
}

TEST_F(WebPages, WithoutTheFolderAllIsAsItWas) {
  services.page = nullptr;
  EXPECT_EQ(get("/ui/").status, 404);
  EXPECT_EQ(get("/ui/assets/main-1a2b.js").status, 404);
  EXPECT_EQ(get("/det/experiments/1").status, 404);
  EXPECT_EQ(get_with("/", "Accept", "text/html").status, 200);
  EXPECT_EQ(get("/det/login").status, 200);
}

TEST(WebPageFolder, NoPathOfARequestIsAPathOfAFile) {
  const Folder folder;
  folder.write("index.html", kHtml);
  folder.write("assets/a.js", "1");
  std::ofstream(folder.path.string() + "-secret") << "secret";
  fs::create_symlink(folder.path.string() + "-secret", folder.path / "assets/link.js");
  const WebPage page = folder.page();
  fs::remove(folder.path.string() + "-secret");
  EXPECT_NE(page.find("assets/a.js"), nullptr);
  for (const char* name :
       {"assets/link.js", "../", "assets/../index.html", "index.html", "", "assets", "./assets/a.js"}) {
    EXPECT_EQ(page.find(name), nullptr) << name;
  }
}

TEST(WebPageFolder, WhatIsNoPageIsRefused) {
  const Folder folder;
  EXPECT_EQ(WebPage::read(folder.path).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(WebPage::read(folder.path / "no").error().code, ErrorCode::kUnavailable);
  folder.write("index.html", "<html>");
  EXPECT_EQ(WebPage::read(folder.path).error().code, ErrorCode::kInvalidArgument);
  folder.write("index.html", kHtml);
  EXPECT_TRUE(WebPage::read(folder.path));
  for (std::size_t i = 0; i < WebPage::kMostFiles; ++i) folder.write("assets/" + std::to_string(i), "");
  EXPECT_EQ(WebPage::read(folder.path).error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace det::api
