#include "api/experiments/context_pack.h"

#include "base/encoding.h"
#include "base/tgz.h"
#include "wire/request_fields.h"

namespace det::api {

namespace {

// Type bytes of tar, as clients send them: numbers.
constexpr std::int64_t kFile = '0';
constexpr std::int64_t kDirectory = '5';
constexpr std::uint32_t kPermissionBits = 07777;

std::unexpected<Error> wrong(const std::string& path, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, path + ": " + what, path);
}

Result<TarEntry> read_entry(const wire::Json& file, const std::string& path) {
  if (!file.is_object()) return wrong(path, "expected an object with path, type and content");
  wire::RequestFields fields(file, path + ".");
  fields.require("path");
  TarEntry entry;
  entry.path = fields.string("path").value_or("");
  const std::int64_t type = fields.integer("type").value_or(kFile);
  const std::int64_t default_mode = type == kDirectory ? 0755 : 0644;
  entry.mode = static_cast<std::uint32_t>(fields.integer("mode").value_or(default_mode)) & kPermissionBits;
  entry.mtime = fields.integer("mtime").value_or(0);
  DET_TRY(fields.status());
  if (type != kFile && type != kDirectory) {
    return wrong(path + ".type", std::to_string(type) + " is neither a file (48) nor a directory (53)");
  }
  entry.type = type == kFile ? TarEntry::Type::kFile : TarEntry::Type::kDirectory;
  if (type == kDirectory) return entry;
  const wire::Json* const content = fields.any("content");
  if (content == nullptr) return entry;
  if (!content->is_string()) return wrong(path + ".content", "expected base64 text");
  auto bytes = base64_decode(content->get_ref<const std::string&>());
  if (!bytes) return wrong(path + ".content", "the content of '" + entry.path + "' is not base64");
  entry.content = std::move(*bytes);
  return entry;
}

}  // namespace

Result<PackedFiles> pack_files(const wire::RequestFields& fields, const std::string& name) {
  const wire::Json* const files = fields.any(name);
  if (files == nullptr) return PackedFiles();
  if (!files->is_array()) return wrong(name, "expected a list of files");
  std::vector<TarEntry> entries;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < files->size(); ++i) {
    auto entry = read_entry((*files)[i], name + "[" + std::to_string(i) + "]");
    DET_TRY(entry);
    total += entry->content.size();
    if (total > kMaxContextBytes) {
      return wrong(name, "the files exceed " + std::to_string(kMaxContextBytes >> 20U) +
                             " MiB; leave data out with a .detignore file");
    }
    entries.push_back(std::move(*entry));
  }
  if (entries.empty()) return PackedFiles();
  auto archive = pack_tgz(entries);
  if (!archive) return wrong(name, archive.error().message);
  PackedFiles packed{.archive = std::move(*archive), .sha256 = {}};
  packed.sha256 = sha256_hex(packed.archive);
  return packed;
}

}  // namespace det::api
