#include <filesystem>
#include <fstream>

#include <sys/stat.h>

#include "local/agent/shim.h"
#include "local/agent/volumes.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;

unsigned mode_of(std::optional<int> own, int fallback) {
  return static_cast<unsigned>(own.value_or(fallback)) & 0777U;
}

// key="value" per line, as files of whole label maps look.
std::string map_text(const KeyValues& map) {
  std::string out;
  for (const auto& [key, value] : map) {
    out += (out.empty() ? "" : "\n") + key + "=\"";
    for (const char c : value) {
      if (c == '\n') {
        out += "\\n";
        continue;
      }
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out;
}

bool is_inside(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return !normal.empty() && normal.is_relative() && *normal.begin() != "..";
}

}  // namespace

Result<std::vector<VolumeFile>> object_files(const VolumeSource& source, const KeyValues& content, int default_mode) {
  std::vector<VolumeFile> files;
  if (source.items.empty()) {
    for (const auto& [key, value] : content) files.push_back({key, value, mode_of({}, default_mode)});
    return files;
  }
  for (const KeyToPath& item : source.items) {
    const auto value = content.find(item.key);
    if (value != content.end()) {
      files.push_back({item.path, value->second, mode_of(item.mode, default_mode)});
    } else if (!source.optional) {
      return fail(ErrorCode::kNotFound, source.name + " references non-existent key: " + item.key);
    }
  }
  return files;
}

Result<std::vector<VolumeFile>> downward_files(const VolumeSource& source, const PodView& pod, const NodeFacts& node,
                                               int default_mode) {
  std::vector<VolumeFile> files;
  for (const DownwardItem& item : source.fields) {
    std::optional<std::string> text = pod_field(pod, node, item.field_path);
    if (item.field_path == "metadata.labels") text = map_text(pod.labels);
    if (item.field_path == "metadata.annotations") text = map_text(pod.annotations);
    if (!text) return fail(ErrorCode::kUnimplemented, "downwardAPI: field " + item.field_path + " is not known");
    files.push_back({item.path, std::move(*text), mode_of(item.mode, default_mode)});
  }
  return files;
}

Status write_volume(const std::string& folder, const std::vector<VolumeFile>& files) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return {};
  const std::string draft = folder + ".new";
  fs::remove_all(draft, error);
  fs::create_directories(draft, error);
  if (error) return fail(ErrorCode::kInternal, "make " + draft + ": " + error.message());
  ::chmod(draft.c_str(), 0755);
  for (const VolumeFile& file : files) {
    if (!is_inside(file.path)) return fail(ErrorCode::kInvalidArgument, "path " + file.path + " leaves its volume");
    const fs::path place = fs::path(draft) / file.path;
    fs::create_directories(place.parent_path(), error);
    for (fs::path up = place.parent_path(); up != fs::path(draft); up = up.parent_path()) ::chmod(up.c_str(), 0755);
    if (Status written = write_file_atomically(place.string(), file.content, file.mode); !written) return written;
  }
  fs::rename(draft, folder, error);
  if (error) return fail(ErrorCode::kInternal, "make " + folder + ": " + error.message());
  return {};
}

}  // namespace det::local
