#include "api/pages/web_page.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "base/log.h"

namespace det::api {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndex = "index.html";
constexpr std::string_view kBase = "<base href=\"/ui/\"";
constexpr std::string_view kHashedFolder = "assets/";

constexpr auto kTypes = std::to_array<std::pair<std::string_view, const char*>>({
    {".css", "text/css; charset=utf-8"},
    {".gif", "image/gif"},
    {".html", "text/html; charset=utf-8"},
    {".ico", "image/x-icon"},
    {".jpg", "image/jpeg"},
    {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".png", "image/png"},
    {".svg", "image/svg+xml"},
    {".txt", "text/plain; charset=utf-8"},
    {".wasm", "application/wasm"},
    {".webmanifest", "application/manifest+json"},
    {".webp", "image/webp"},
    {".woff2", "font/woff2"},
});

std::string type_of(std::string_view name) {
  for (const auto& [end, type] : kTypes) {
    if (name.ends_with(end)) return type;
  }
  return "application/octet-stream";
}

std::string hash_of(std::string_view text) {
  return sha256_hex(text).substr(0, 32);
}

Result<std::string> text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in && !in.eof()) return fail(ErrorCode::kUnavailable, file.string() + " cannot be read");
  return text;
}

// Name within the folder -> content.
Result<std::map<std::string, std::string, std::less<>>> texts_below(const fs::path& folder) {
  std::map<std::string, std::string, std::less<>> texts;
  std::size_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->is_symlink(failed) || !at->is_regular_file(failed)) continue;
    bytes += at->file_size(failed);
    if (failed || bytes > WebPage::kMostBytes || texts.size() == WebPage::kMostFiles) {
      return fail(ErrorCode::kResourceExhausted,
                  folder.string() + " holds more than " + std::to_string(WebPage::kMostFiles) + " files or " +
                      std::to_string(WebPage::kMostBytes >> 20) + " MiB: name the folder that webui/ builds");
    }
    auto text = text_of(at->path());
    DET_TRY(text);
    texts.emplace(at->path().lexically_relative(folder).generic_string(), std::move(*text));
  }
  if (failed) return fail(ErrorCode::kUnavailable, folder.string() + " cannot be read: " + failed.message());
  return texts;
}

}  // namespace

Result<WebPage> WebPage::read(const fs::path& folder) {
  auto texts = texts_below(folder);
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
    WebFile file{.type = type_of(kIndex), .hash = hash_of(text), .plain = std::move(text)};
    page.index_.emplace(depth, std::move(file));
  }
  const auto take = [&texts](const std::string& name) {
    const auto at = texts->find(name);
    return at == texts->end() ? std::string() : std::exchange(at->second, {});
  };
  for (auto& [name, text] : *texts) {
    const bool is_form = name.ends_with(".br") || name.ends_with(".gz");
    if (is_form && texts->contains(std::string_view(name).substr(0, name.size() - 3))) continue;
    WebFile file{.type = type_of(name), .hash = hash_of(text), .plain = text};
    file.gzip = take(name + ".gz");
    file.brotli = take(name + ".br");
    file.is_immutable = name.starts_with(kHashedFolder);
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
