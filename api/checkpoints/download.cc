// A checkpoint's files through the server: for clients that do not reach its storage.

#include <memory>
#include <optional>

#include "api/arguments.h"
#include "api/checkpoints/checkpoint_archive.h"
#include "api/checkpoints/routes.h"
#include "base/log.h"
#include "base/printable.h"
#include "base/uuid.h"
#include "http/byte_range.h"
#include "storage/open_checkpoint.h"

namespace det::api::routes {

namespace {

struct AskedForm {
  ArchiveForm form = ArchiveForm::kTar;
  const char* type = "application/x-tar";
  const char* suffix = ".tar";
};

// As upstream's clients ask: one type, or anything, which is a tar.
std::optional<AskedForm> read_form(std::string_view accept) {
  if (accept == "application/gzip") return AskedForm{ArchiveForm::kTgz, "application/gzip", ".tar.gz"};
  if (accept == "application/zip") return AskedForm{ArchiveForm::kZip, "application/zip", ".zip"};
  if (accept.empty() || accept == "*/*" || accept == "application/*" || accept == "application/x-tar")
    return AskedForm();
  return std::nullopt;
}

http::Response unknown_form(std::string_view accept) {
  return http::Response::json(
      wire::dump({{"message", "unsupported media type to download a checkpoint: '" + printable(accept.substr(0, 100)) +
                                  "'; application/x-tar, application/gzip and application/zip work"}}),
      415);
}

// One that does not exist here, and one that nobody allowed, are not told apart from one that is away: what to do is
// the same.
Error unreachable(const std::string& uuid, const Error& why) {
  Error told = with_context(why, "checkpoint " + uuid + " cannot be read by this server");
  told.message +=
      ". From a machine that reaches the storage, checkpoint download --mode direct of Determined's own (Python) det "
      "works";
  if (told.code == ErrorCode::kNotFound) told.code = ErrorCode::kFailedPrecondition;
  return told;
}

struct Download {
  Download(StreamGate::Pass pass, boost::asio::thread_pool& workers, std::unique_ptr<storage::StoredFiles> files,
           ArchiveForm form)
      : pass(std::move(pass)), archive(workers, std::move(files), form) {}

  StreamGate::Pass pass;
  CheckpointArchive archive;
};

// Of another archive than the one that is there now no part may be sent: the client would make one of two.
http::AskedRange asked_range(const http::Request& request, const CheckpointArchive& archive) {
  const auto range = request.headers.find("Range");
  if (!range || !archive.total() || archive.entity_tag().empty()) return {};
  const auto only_if = request.headers.find("If-Range");
  if (only_if && *only_if != archive.entity_tag()) return {};
  return http::read_range(*range, *archive.total());
}

http::Response unsatisfiable(const CheckpointArchive& archive) {
  http::Response response = http::Response::json(
      wire::dump(
          {{"message", "the archive has " + std::to_string(*archive.total()) + " bytes: Range asks for others"}}),
      416);
  response.headers.add("Content-Range", http::content_range(std::nullopt, *archive.total()));
  return response;
}

}  // namespace

Task<Result<http::Response>> download_checkpoint(ApiServices& services, Call call) {
  const std::string_view accept = call.request.headers.find("Accept").value_or("");
  const auto asked = read_form(accept);
  if (!asked) co_return unknown_form(accept);
  std::string uuid = path_text(call.request, "uuid");
  std::unexpected<Error> not_found = fail(ErrorCode::kNotFound, "checkpoint '" + uuid + "' not found");
  if (!is_uuid(uuid)) co_return not_found;
  uuid = canonical_uuid(uuid);
  const auto view = co_await services.stores.checkpoints.find(uuid);
  DET_CO_TRY(view);
  if (!*view) co_return not_found;
  if ((**view).row.state == model::CheckpointState::kDeleted) {
    co_return fail(ErrorCode::kFailedPrecondition, "checkpoint " + uuid + " was deleted: its files are gone");
  }
  const auto place = co_await services.stores.checkpoints.storage_of(uuid);
  DET_CO_TRY(place);
  if (place->is_null()) {
    co_return fail(ErrorCode::kFailedPrecondition,
                   "checkpoint " + uuid + " is, its trial says, in another storage than its experiment's");
  }
  auto pass = services.downloads.enter(call.caller.user.username);
  DET_CO_TRY(pass);
  auto files = storage::open_checkpoint(services.storage, *place, uuid);
  if (!files) co_return std::unexpected(unreachable(uuid, files.error()));
  auto download =
      std::make_shared<Download>(std::move(*pass), services.storage.workers, std::move(*files), asked->form);
  const Status opened = co_await download->archive.open();
  if (!opened) co_return std::unexpected(unreachable(uuid, opened.error()));
  const http::AskedRange part = asked_range(call.request, download->archive);
  if (!part.is_satisfiable) co_return unsatisfiable(download->archive);
  const Status begun = co_await download->archive.begin(part.range);
  if (!begun) co_return std::unexpected(unreachable(uuid, begun.error()));
  Logger("api").info("a checkpoint is sent", {{"checkpoint", uuid}, {"user", call.caller.user.username}});
  http::Response response;
  response.headers.add("Content-Type", asked->type);
  response.headers.add("Content-Disposition", "attachment; filename=\"" + uuid + asked->suffix + "\"");
  if (!download->archive.entity_tag().empty()) {
    response.headers.add("ETag", download->archive.entity_tag());
    response.headers.add("Accept-Ranges", "bytes");
  }
  if (part.range) {
    response.status = 206;
    response.headers.add("Content-Range", http::content_range(part.range, *download->archive.total()));
  }
  response.stream = [download](http::Writer& writer) { return download->archive.send(writer); };
  co_return response;
}

}  // namespace det::api::routes
