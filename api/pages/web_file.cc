#include "api/pages/web_file.h"

#include <array>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/encoding.h"

namespace det::api {

namespace {

namespace fs = std::filesystem;

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
    {".woff", "font/woff"},
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

}  // namespace

WebFile web_file(std::string_view name, std::string text) {
  WebFile file{.type = type_of(name), .hash = hash_of(text), .plain = std::move(text)};
  file.is_immutable = name.starts_with(kHashedFolder);
  return file;
}

Result<std::map<std::string, std::string, std::less<>>> texts_below(const fs::path& folder,
                                                                    const FolderBounds& bounds) {
  std::map<std::string, std::string, std::less<>> texts;
  std::size_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->is_symlink(failed) || !at->is_regular_file(failed)) continue;
    std::string name = at->path().lexically_relative(folder).generic_string();
    if (bounds.wants && !bounds.wants(name)) continue;
    bytes += at->file_size(failed);
    if (failed || bytes > bounds.bytes || texts.size() == bounds.files) {
      return fail(ErrorCode::kResourceExhausted, folder.string() + " holds more than " + std::to_string(bounds.files) +
                                                     " files or " + std::to_string(bounds.bytes >> 20) +
                                                     " MiB: " + bounds.hint);
    }
    auto text = text_of(at->path());
    DET_TRY(text);
    texts.emplace(std::move(name), std::move(*text));
  }
  if (failed) return fail(ErrorCode::kUnavailable, folder.string() + " cannot be read: " + failed.message());
  return texts;
}

}  // namespace det::api
