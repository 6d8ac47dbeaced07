#include "cli/context_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>

#include <sys/stat.h>

#include "base/encoding.h"
#include "cli/ignore_rules.h"
#include "cli/input_file.h"

namespace det::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kTarFile = '0';
constexpr int kTarFolder = '5';

class Reader {
 public:
  explicit Reader(const std::function<void(const Context&)>& progress) : progress_(progress) {}

  // `prefix` is put before every path; empty for the folder whose content becomes the working folder.
  Status add(const fs::path& given, const std::string& prefix) {
    std::error_code failed;
    const fs::path root = fs::canonical(given, failed);
    if (failed) return fail(ErrorCode::kInvalidArgument, "Path '" + given.string() + "' doesn't exist");
    if (!fs::is_directory(root)) {
      const Status added = add_file(root, prefix, prefix);
      // Of a folder's files one may be left out with a warning. This one was asked for by its name.
      if (!added && added.error().code == ErrorCode::kNotFound) return unread(prefix, added.error());
      return added;
    }
    IgnoreRules rules;
    if (std::ifstream own(root / ".detignore"); own) {
      const auto text = rest_of(own);
      if (!text) return unread(".detignore", text.error());
      rules.add(*text);
    }
    if (!prefix.empty()) DET_TRY(add_folder(root, prefix));
    return walk(root, "", prefix, rules);
  }

  Result<Context> finish() {
    std::map<std::string, int> tops;
    for (const auto& file : context_.files) {
      if (file.path.find('/') == std::string::npos && ++tops[file.path] == 2) {
        return fail(ErrorCode::kInvalidArgument,
                    "duplicate path detected: '" + file.path +
                        "' is in the context directory and among the includes, or included twice");
      }
    }
    return std::move(context_);
  }

 private:
  Status walk(const fs::path& root, const std::string& below, const std::string& prefix, const IgnoreRules& rules) {
    std::vector<std::string> folders;
    std::vector<std::string> files;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(root / below, failed)) {
      std::error_code ignored;
      (entry.is_directory(ignored) ? folders : files).push_back(entry.path().filename());
    }
    if (failed) context_.unreadable.push_back("cannot list '" + (root / below).string() + "': " + failed.message());
    // The order of a folder's entries is the file system's; sorted, the same folder is the same upload.
    std::ranges::sort(folders);
    std::ranges::sort(files);
    const auto inside = [&below](const std::string& name) { return below.empty() ? name : below + "/" + name; };
    const auto sent_as = [&prefix](const std::string& path) { return prefix.empty() ? path : prefix + "/" + path; };
    std::erase_if(folders, [&](const std::string& name) { return rules.ignores(inside(name), true); });
    for (const auto& name : folders) DET_TRY(add_folder(root / inside(name), sent_as(inside(name))));
    for (const auto& name : files) {
      if (name == ".detignore" || rules.ignores(inside(name), false)) continue;
      const Status added = add_file(root / inside(name), sent_as(inside(name)), inside(name));
      if (!added && added.error().code == ErrorCode::kNotFound) {
        context_.unreadable.push_back("Error reading '" + inside(name) +
                                      "', skipping this file: " + added.error().message);
      } else if (!added) {
        return added;
      }
    }
    for (const auto& name : folders) {
      // A link to a folder is sent as an empty one: following it could go round for ever.
      if (fs::is_symlink(fs::symlink_status(root / inside(name)))) continue;
      const Status walked = walk(root, inside(name), prefix, rules);
      if (!walked) return walked;
    }
    return {};
  }

  static std::unexpected<Error> unread(const std::string& shown, const Error& error) {
    return fail(ErrorCode::kInvalidArgument, "Error reading '" + shown + "': " + error.message);
  }

  // The archive travels as JSON, whose texts are UTF-8: other names would come out changed, and two could become one.
  static Status check_name(const std::string& path) {
    if (is_valid_utf8(path)) return {};
    std::string shown;
    for (const char c : path) {
      const auto byte = static_cast<unsigned char>(c);
      shown += byte < 0x80 ? std::string(1, c) : "\\x" + hex_encode(std::string_view(&c, 1));
    }
    return fail(ErrorCode::kInvalidArgument, "the name of '" + shown +
                                                 "' is not UTF-8 and cannot be sent: rename it, or leave it out with "
                                                 "a pattern in .detignore");
  }

  Status add_folder(const fs::path& place, const std::string& path) {
    DET_TRY(check_name(path));
    struct stat info{};
    if (::stat(place.c_str(), &info) != 0) return {};
    context_.files.push_back(
        {.path = path, .is_folder = true, .mode = info.st_mode, .mtime = info.st_mtime, .content = {}});
    progress_(context_);
    return {};
  }

  // kNotFound, with the reason alone, for what cannot be opened.
  Status add_file(const fs::path& place, const std::string& path, const std::string& shown) {
    DET_TRY(check_name(path));
    struct stat info{};
    const bool is_there = ::stat(place.c_str(), &info) == 0;
    // A FIFO or socket would block or fail: only files have content.
    std::ifstream in;
    if (is_there && S_ISREG(info.st_mode)) in.open(place, std::ios::binary);
    if (!is_there || !in.is_open()) {
      return fail(ErrorCode::kNotFound, is_there && !S_ISREG(info.st_mode) ? "it is no file" : std::strerror(errno));
    }
    if (context_.bytes + static_cast<std::uint64_t>(info.st_size) > kMaxContextBytes) {
      return fail(ErrorCode::kInvalidArgument,
                  "The total size of context directory and included files and directories exceeds the maximum allowed "
                  "size " +
                      size_text(kMaxContextBytes) + " (at '" + shown + "', " +
                      size_text(static_cast<double>(info.st_size)) +
                      "). Consider using a .detignore file inside the directory to specify that certain files or "
                      "subdirectories should be omitted");
    }
    auto content = rest_of(in);
    // Not skipped as one that cannot be opened: half of a file is no model.
    if (!content) return unread(shown, content.error());
    ContextFile file{
        .path = path, .is_folder = false, .mode = info.st_mode, .mtime = info.st_mtime, .content = std::move(*content)};
    // Counted in whole groups of three bytes, as their base64 is: the number is the one that people know.
    context_.bytes += (file.content.size() + 2) / 3 * 3;
    context_.files.push_back(std::move(file));
    progress_(context_);
    return {};
  }

  const std::function<void(const Context&)>& progress_;
  Context context_;
};

}  // namespace

Result<Context> read_context(const ContextRequest& request, const std::function<void(const Context&)>& progress) {
  Reader reader(progress);
  if (!request.folder.empty()) {
    if (fs::is_regular_file(request.folder)) {
      return fail(ErrorCode::kInvalidArgument,
                  "context path '" + request.folder.string() + "' must be a directory, maybe use an include instead?");
    }
    DET_TRY(reader.add(request.folder, ""));
  }
  for (const auto& include : request.includes) {
    std::error_code ignored;
    const std::string name = fs::weakly_canonical(include, ignored).filename();
    if (name.empty()) {
      return fail(ErrorCode::kInvalidArgument, "unable to determine the name of include '" + include.string() + "'");
    }
    DET_TRY(reader.add(include, name));
  }
  return reader.finish();
}

Json to_json(const Context& context) {
  Json list = Json::array();
  for (const ContextFile& file : context.files) {
    list.push_back({{"path", file.path},
                    {"type", file.is_folder ? kTarFolder : kTarFile},
                    {"content", base64_encode(file.content)},
                    {"mtime", std::to_string(file.mtime)},
                    {"mode", file.mode},
                    {"uid", 0},
                    {"gid", 0}});
  }
  return list;
}

}  // namespace det::cli
