#include "cli/checkpoint_download.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/archive_extract.h"
#include "cli/experiment_tables.h"
#include "cli/program.h"
#include "cli/resuming_download.h"
#include "cli/table.h"
#include "cli/text.h"

namespace det::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadata = "metadata.json";

Status write_metadata(const fs::path& file, const Json& checkpoint) {
  if (fs::exists(file)) return {};
  std::ofstream out(file);
  out << pretty_json(field(checkpoint, "metadata")) << "\n";
  out.close();
  if (out) return {};
  std::error_code ignored;
  fs::remove(file, ignored);  // a part of it would say that all is there
  return fail(ErrorCode::kInvalidArgument, "--output-dir: cannot write " + file.string());
}

Status make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::kInvalidArgument, "--output-dir: " + folder.string() + ": " + error.message());
  return {};
}

// Into `target`, over what is there; folders are merged. All but `left`, which may be empty.
Status move_content(const fs::path& source, const fs::path& target, const fs::path& left = {}) {
  std::error_code error;
  for (fs::directory_iterator entry(source, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->path() == left) continue;
    const fs::path to = target / entry->path().filename();
    if (entry->is_directory(error) && fs::is_directory(to)) {
      DET_TRY(move_content(entry->path(), to));
    } else if (!error) {
      fs::rename(entry->path(), to, error);
    }
    if (error) return fail(ErrorCode::kInvalidArgument, "--output-dir: " + to.string() + ": " + error.message());
  }
  if (error) return fail(ErrorCode::kInvalidArgument, "--output-dir: " + source.string() + ": " + error.message());
  return {};
}

// Keeps other downloads out of a folder: two of them would write into each other's files.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    // A file system without locks keeps nobody out.
    is_taken_ = fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  }
  ~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  [[nodiscard]] bool is_taken() const { return is_taken_; }

 private:
  int fd_;
  bool is_taken_ = false;
};

// Whether each file of the checkpoint is there in its length. What it says of itself people may have changed.
bool has_files_of(const fs::path& folder, const Json& checkpoint) {
  const Json resources = field(checkpoint, "resources");
  for (const auto& file : resources.items()) {
    if (file.key().ends_with('/') || file.key() == kMetadata) continue;
    std::error_code error;
    const std::uintmax_t size = fs::file_size(folder / file.key(), error);
    // 64-bit numbers come as text.
    const std::string wanted = file.value().is_string() ? file.value().get<std::string>() : file.value().dump();
    if (error || std::to_string(size) != wanted) return false;
  }
  return true;
}

// Ctrl-C ends the program at once while this lives: unpacking takes minutes, and nothing else runs meanwhile that could
// hear of it. What is unpacked by then goes with the next try.
class EndedByInterrupt {
 public:
  EndedByInterrupt() {
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(SIGINT, &action, &before_);
  }
  ~EndedByInterrupt() { sigaction(SIGINT, &before_, nullptr); }
  EndedByInterrupt(const EndedByInterrupt&) = delete;
  EndedByInterrupt& operator=(const EndedByInterrupt&) = delete;

 private:
  struct sigaction before_ = {};
};

// What an archive holds, beside the place where it is to be, so that nothing takes a part of it for the whole. Goes
// with this object.
class Unpacked {
 public:
  explicit Unpacked(fs::path folder) : folder_(std::move(folder)) { clear(); }
  ~Unpacked() { clear(); }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;

  // kMetadata last: it says that the others are there.
  Status move_to(const fs::path& target) const {
    const fs::path metadata = folder_ / kMetadata;
    DET_TRY(move_content(folder_, target, metadata));
    std::error_code error;
    if (fs::exists(metadata)) fs::rename(metadata, target / kMetadata, error);
    if (error) return fail(ErrorCode::kInvalidArgument, "--output-dir: " + target.string() + ": " + error.message());
    return {};
  }

 private:
  // Also what an earlier try that was killed has left.
  void clear() const {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  fs::path folder_;
};

}  // namespace

void add_download_options(CLI::App* leaf, DownloadTarget& target) {
  leaf->add_option("-o,--output-dir", target.folder,
                   "folder for the files; without it checkpoints/UUID below the current one");
  leaf->add_flag("-q,--quiet", target.is_quiet, "only print the path to the checkpoint");
}

Task<Status> download_checkpoint(World& world, MasterClient& client, std::string uuid, DownloadTarget target) {
  const auto answer = co_await client.get("/api/v1/checkpoints/" + path_segment(uuid));
  DET_CO_TRY(answer);
  const Json checkpoint = field(*answer, "checkpoint");
  const fs::path folder = target.folder.empty() ? fs::path("checkpoints") / uuid : fs::path(target.folder);
  DET_CO_TRY(make_folder(folder));
  const FolderLock lock(folder);
  if (lock.is_taken()) {
    co_return fail(ErrorCode::kAlreadyExists, "--output-dir: another det downloads into " + folder.string() +
                                                  " just now: wait for its end, or name another folder");
  }
  if (fs::exists(folder / kMetadata)) {
    // What the Python client takes for a checkpoint that is there already, whichever it is.
    if (!has_files_of(folder, checkpoint)) {
      co_return fail(ErrorCode::kAlreadyExists, "--output-dir: " + folder.string() +
                                                    " has another checkpoint, or one whose files were changed; " +
                                                    uuid + " was not downloaded: name another folder");
    }
    if (!target.is_quiet) world.err << folder.string() << " has a checkpoint already: nothing was downloaded\n";
  } else {
    // A tar, which goes on after a lost connection; what is in a checkpoint hardly gets smaller.
    DownloadFile file(folder / (".download-" + uuid + ".tar"));
    DET_CO_TRY(
        co_await download_resuming(world, client, "/checkpoints/" + path_segment(uuid), "application/x-tar", file));
    const fs::path aside = folder / (".download-" + uuid);
    const Unpacked unpacked(aside);
    const auto extract = [&] {
      const EndedByInterrupt at_once;
      return extract_archive(file.path(), aside.string());
    };
    DET_CO_TRY(extract());
    DET_CO_TRY(unpacked.move_to(folder));
    DET_CO_TRY(write_metadata(folder / kMetadata, checkpoint));
  }
  if (target.is_quiet) {
    world.out << folder.string() << "\n";
    co_return Status();
  }
  world.out << "Local checkpoint path:\n" << folder.string() << "\n\n";
  print_table(world, checkpoint_summary(checkpoint), false);
  co_return Status();
}

}  // namespace det::cli
