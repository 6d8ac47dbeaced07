#include "api/pages/web_page.h"

#include <system_error>
#include <utility>

#include "base/log.h"

namespace det::api {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndex = "index.html";
constexpr std::string_view kBase = "<base href=\"/ui/\"";

}  // namespace

Result<WebPage> WebPage::read(const fs::path& folder) {
  auto texts = texts_below(
      folder, {.files = kMostFiles, .bytes = kMostBytes, .hint = "name the folder that webui/ builds", .wants = {}});
  DET_TRY(texts);
  const auto index = texts->find(kIndex);
  if (index == texts->end()) {
    return fail(ErrorCode::kNotFound, folder.string() + " has no index.html: build it with scripts/build.sh");
  }
  const std::string html = std::move(index->second);
  const auto base = html.find(kBase);
  if (base == std::string::npos || html.find("<base", base + 1) != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, (folder / kIndex).string() + " needs one <base href=\"/ui/\">");
  }
  for (const std::string& name : {std::string(kIndex), std::string(kIndex) + ".gz", std::string(kIndex) + ".br"}) {
    texts->erase(name);
  }

  WebPage page;
  for (std::size_t depth = 0; depth <= kDeepest; ++depth) {
    std::string back = depth <= 1 ? "./" : "";  // of the page's own folder, and of what stands in it
    for (std::size_t up = 1; up < depth; ++up) back += "../";
    std::string text = html;
    text.replace(base + kBase.find("/ui/"), std::string_view("/ui/").size(), back);
    page.index_.emplace(depth, web_file(kIndex, std::move(text)));
  }
  const auto take = [&texts](const std::string& name) {
    const auto at = texts->find(name);
    return at == texts->end() ? std::string() : std::exchange(at->second, {});
  };
  for (auto& [name, text] : *texts) {
    const bool is_form = name.ends_with(".br") || name.ends_with(".gz");
    if (is_form && texts->contains(std::string_view(name).substr(0, name.size() - 3))) continue;
    WebFile file = web_file(name, text);
    file.gzip = take(name + ".gz");
    file.brotli = take(name + ".br");
    page.files_.emplace(name, std::move(file));
  }
  return page;
}

const WebFile* WebPage::find(std::string_view name) const {
  const auto at = files_.find(name);
  return at == files_.end() ? nullptr : &at->second;
}

Result<std::optional<WebPage>> installed_web_page(const std::string& folder) {
  if (!folder.empty()) return WebPage::read(folder);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return std::nullopt;
  const fs::path above = program.parent_path().parent_path();
  for (const fs::path& beside : {above / "share/det-operator/ui", above / "ui"}) {
    if (!fs::is_regular_file(beside / kIndex, failed)) continue;
    auto page = WebPage::read(beside);
    if (page) return std::move(*page);
    Logger("api").warn("the web page cannot be served", {{"reason", page.error().message}});
  }
  return std::nullopt;
}

}  // namespace det::api
