#include "cli/checkpoint_download.h"

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
    // A tar, which goes on after a lost connection; what is in a checkpoint hardly gets smaller.
    DownloadFile file(folder / (".download-" + uuid + ".tar"));
    DET_CO_TRY(
        co_await download_resuming(world, client, "/checkpoints/" + path_segment(uuid), "application/x-tar", file));
    DET_CO_TRY(extract_archive(file.path(), folder.string()));
    DET_CO_TRY(write_metadata(folder / "metadata.json", checkpoint));
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
