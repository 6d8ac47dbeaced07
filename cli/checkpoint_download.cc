#include "cli/checkpoint_download.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/archive_extract.h"
#include "cli/experiment_tables.h"
#include "cli/program.h"
#include "cli/table.h"
#include "cli/text.h"

namespace det::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kShowEvery = std::uint64_t{1} << 20;

// The archive, which goes when this does.
class ArchiveFile {
 public:
  explicit ArchiveFile(fs::path path) : path_(std::move(path)), out_(path_, std::ios::binary | std::ios::trunc) {}
  ArchiveFile(const ArchiveFile&) = delete;
  ArchiveFile& operator=(const ArchiveFile&) = delete;
  ~ArchiveFile() {
    out_.close();
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  Status write(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return check();
  }
  Status close() {
    out_.close();
    return check();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  Status check() const {
    if (out_) return {};
    return fail(ErrorCode::kInvalidArgument, "--output-dir: cannot write " + path_.string());
  }

  fs::path path_;
  std::ofstream out_;
};

Status write_metadata(const fs::path& file, const Json& checkpoint) {
  if (fs::exists(file)) return {};
  std::ofstream out(file);
  out << pretty_json(field(checkpoint, "metadata")) << "\n";
  out.close();
  if (!out) return fail(ErrorCode::kInvalidArgument, "--output-dir: cannot write " + file.string());
  return {};
}

Status make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::kInvalidArgument, "--output-dir: " + folder.string() + ": " + error.message());
  return {};
}

Task<Status> fetch(World& world, MasterClient& client, const std::string& uuid, ArchiveFile& file) {
  std::uint64_t got = 0;
  std::uint64_t shown = 0;
  auto take = [&](std::string_view bytes) {
    got += bytes.size();
    if (world.err_is_terminal && got >= shown + kShowEvery) {
      shown = got;
      world.err << "\rDownloading... " << size_text(static_cast<double>(got)) << "\x1b[K" << std::flush;
    }
    return file.write(bytes);
  };
  const Status done = co_await client.download("/checkpoints/" + path_segment(uuid), "application/gzip", take);
  if (shown > 0) world.err << "\r\x1b[K" << std::flush;
  DET_CO_TRY(done);
  co_return file.close();
}

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
  if (fs::exists(folder / "metadata.json")) {
    // What the Python client takes for a checkpoint that is there already.
    if (!target.is_quiet) world.err << folder.string() << " has a checkpoint already: nothing was downloaded\n";
  } else {
    DET_CO_TRY(make_folder(folder));
    ArchiveFile file(folder / (".download-" + uuid + ".tar.gz"));
    DET_CO_TRY(co_await fetch(world, client, uuid, file));
    DET_CO_TRY(extract_archive(file.path(), folder.string()));
    DET_CO_TRY(write_metadata(folder / "metadata.json", checkpoint));
  }
  if (target.is_quiet) {
    world.out << folder.string() << "\n";
    co_return Status();
  }
  print_table(world, checkpoint_summary(checkpoint), false);
  world.err << "Local checkpoint path: " << folder.string() << "\n";
  co_return Status();
}

}  // namespace det::cli
