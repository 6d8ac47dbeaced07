// det trial support-bundle: what somebody who helps with a trial will want to see, in one file.

#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "base/archive_stream.h"
#include "base/wall_time.h"
#include "cli/log_query.h"
#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

namespace fs = std::filesystem;

struct BundleOptions {
  std::int64_t trial = 0;
  std::string folder;  // empty: the current one
};

// For the parts until they are packed: an archive says how long each is before it comes. Goes with the object.
class PartsFolder {
 public:
  explicit PartsFolder(const fs::path& temporary) {
    std::string name = (temporary / "det-bundle.XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  PartsFolder(const PartsFolder&) = delete;
  PartsFolder& operator=(const PartsFolder&) = delete;
  ~PartsFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }  // empty: it could not be made

 private:
  fs::path path_;
};

constexpr std::array kParts = {"trial_logs.txt", "master_logs.txt", "api_trial_call.json", "api_experiment_call.json"};

std::string bundle_name(std::int64_t trial, WallTime now) {
  std::string time = format_rfc3339_seconds(now);
  std::erase_if(time, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  return "det-bundle-trial-" + std::to_string(trial) + "-" + time;
}

Status written(std::ofstream& out, const fs::path& file) {
  out.close();
  if (out) return {};
  return fail(ErrorCode::kInvalidArgument, "cannot write " + file.string());
}

Status write_json(const fs::path& file, const Json& value) {
  std::ofstream out(file, std::ios::binary);
  out << value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return written(out, file);
}

Task<Status> write_trial_log(MasterClient client, std::int64_t trial, fs::path file) {
  std::ofstream out(file, std::ios::binary);
  const auto take = [&out](const Json& line) { out << text_field(line, "message"); };
  DET_CO_TRY(co_await client.follow(trial_log(trial).path, log_query(LogOptions{}), take));
  co_return written(out, file);
}

// Only administrators may read it. Without it the bundle is still worth something.
Task<Status> write_master_log(World& world, MasterClient client, fs::path file) {
  std::ofstream out(file, std::ios::binary);
  const auto take = [&out](const Json& item) { out << master_log_line(field(item, "logEntry")) << "\n"; };
  const Status done = co_await client.follow("/api/v1/master/logs", {}, take);
  if (!done && done.error().code != ErrorCode::kPermissionDenied) co_return done;
  if (!done) {
    out << done.error().message << "\n";
    world.err << "The bundle has no log of the master: " << done.error().message << "\n";
  }
  co_return written(out, file);
}

Task<Status> write_parts(World& world, MasterClient client, std::int64_t trial, fs::path folder) {
  const auto found = co_await client.get("/api/v1/trials/" + std::to_string(trial));
  DET_CO_TRY(found);
  const Json shown = field(*found, "trial");
  const auto experiment =
      co_await client.get("/api/v1/experiments/" + std::to_string(integer_field(shown, "experimentId")));
  DET_CO_TRY(experiment);
  DET_CO_TRY(write_json(folder / "api_trial_call.json", shown));
  DET_CO_TRY(write_json(folder / "api_experiment_call.json", *experiment));
  DET_CO_TRY(co_await write_trial_log(client, trial, folder / "trial_logs.txt"));
  co_return co_await write_master_log(world, client, folder / "master_logs.txt");
}

Status pack(const fs::path& parts, const std::string& name, const fs::path& target) {
  std::ofstream out(target, std::ios::binary | std::ios::trunc);
  ArchiveStream packing(ArchiveForm::kTgz);
  std::array<char, 65536> buffer{};
  for (const char* part : kParts) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(parts / part, error);
    if (error) return fail(ErrorCode::kInternal, "cannot read " + (parts / part).string() + ": " + error.message());
    DET_TRY(packing.begin(name + "/" + part, size));
    std::ifstream in(parts / part, std::ios::binary);
    while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0) {
      DET_TRY(packing.add(std::string_view(buffer.data(), static_cast<std::size_t>(in.gcount()))));
      out << packing.take();
    }
  }
  DET_TRY(packing.finish());
  out << packing.take();
  out.close();
  if (!out) return fail(ErrorCode::kInvalidArgument, "--output-dir: cannot write " + target.string());
  return {};
}

Task<Result<int>> bundle(Invocation in, BundleOptions options) {
  World& world = in.world;
  const fs::path folder = options.folder.empty() ? fs::current_path() : fs::path(options.folder);
  if (!fs::is_directory(folder)) {
    co_return fail(ErrorCode::kInvalidArgument, "--output-dir: there is no folder " + options.folder);
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const PartsFolder parts(world.variable_or("TMPDIR", "/tmp"));
  if (parts.path().empty()) co_return fail(ErrorCode::kInternal, "cannot make a folder in $TMPDIR, else /tmp");
  DET_CO_TRY(co_await write_parts(world, session->client, options.trial, parts.path()));
  const std::string name = bundle_name(options.trial, world.clock.wall_now());
  const fs::path target = folder / (name + ".tar.gz");
  DET_CO_TRY(pack(parts.path(), name, target));
  world.out << "bundle path: " << target.string() << "\n";
  co_return kDone;
}

}  // namespace

void add_support_bundle_command(Program& program, CLI::App* trial) {
  CLI::App* leaf = program.add_leaf(*trial, "support-bundle", {}, "support bundle");
  auto b = std::make_shared<BundleOptions>();
  add_id(leaf, "trial_id", b->trial, "trial ID");
  leaf->add_option("-o,--output-dir", b->folder, "folder for the bundle (default: the current one)");
  program.runs(leaf, b, bundle);
}

}  // namespace det::cli
