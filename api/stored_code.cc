#include "api/stored_code.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#include "api/harness_guard.h"
#include "base/encoding.h"
#include "base/guarded_work.h"

namespace det::api {
namespace {

// A multiple of three, so that the base64 of the pieces is that of the whole.
constexpr std::int64_t kPiece = std::int64_t{3} << 18;

struct CodeStream {
  std::string sha256;
  CodeForm form;
  std::string first;  // its first piece
  std::int64_t total = 0;
};

Task<Result<store::ContextStore::Part>> read_part(ApiServices& services, std::string sha256, std::int64_t offset) {
  auto part = co_await services.stores.contexts.part(sha256, offset, kPiece);
  DET_CO_TRY(part);
  if (!*part) co_return code_is_gone(sha256);
  co_return std::move(**part);
}

Task<std::string> written(ApiServices& services, bool is_base64, std::string bytes) {
  if (!is_base64) co_return bytes;
  co_return co_await run_guarded(services.workers, [bytes = std::move(bytes)] { return base64_encode(bytes); });
}

// What harnesses have begun to read they do not ask for again: the database may be away for a moment.
Task<Result<store::ContextStore::Part>> read_part_patiently(ApiServices& services, std::string sha256,
                                                            std::int64_t offset) {
  const GuardOptions guard;
  const SteadyTime end = services.clock.steady_now() + guard.patience;
  for (;;) {
    auto part = co_await read_part(services, sha256, offset);
    if (part || part.error().code == ErrorCode::kNotFound || services.clock.steady_now() >= end) co_return part;
    co_await services.clock.sleep_for(guard.pause);
  }
}

// The missing end of a broken chunked answer is how the client knows.
Task<void> send(ApiServices& services, std::shared_ptr<CodeStream> code, http::Writer& writer) {
  const CodeForm& form = code->form;
  std::string piece = std::exchange(code->first, {});
  std::int64_t sent = std::ssize(piece);
  if (!co_await writer.write(form.before + co_await written(services, form.is_base64, std::move(piece)))) co_return;
  while (sent < code->total) {
    auto part = co_await read_part_patiently(services, code->sha256, sent);
    if (!part) throw std::runtime_error("model code broke off: " + part.error().message);
    if (part->bytes.empty()) throw std::runtime_error("model code broke off: it is shorter than it was");
    sent += std::ssize(part->bytes);
    if (!co_await writer.write(co_await written(services, form.is_base64, std::move(part->bytes)))) co_return;
  }
  co_await writer.write(form.after);
}

}  // namespace

std::unexpected<Error> code_is_gone(const std::string& sha256) {
  return fail(ErrorCode::kNotFound, "the model code with the digest " + sha256 + " is gone");
}

CodeForm code_as_json() {
  return {.before = R"({"b64Tgz":")", .after = R"("})", .is_base64 = true};
}

Task<Result<http::Response>> answer_with_code(ApiServices& services, std::string sha256, CodeForm form) {
  auto first = co_await read_part(services, sha256, 0);
  DET_CO_TRY(first);
  http::Response response;
  if (form.is_base64) response.headers.add("Content-Type", "application/json");
  if (std::ssize(first->bytes) == first->total) {
    response.body = form.before + co_await written(services, form.is_base64, std::move(first->bytes)) + form.after;
    co_return response;
  }
  auto code = std::make_shared<CodeStream>(CodeStream{
      .sha256 = std::move(sha256), .form = std::move(form), .first = std::move(first->bytes), .total = first->total});
  response.stream = [&services, code](http::Writer& writer) { return send(services, code, writer); };
  co_return response;
}

}  // namespace det::api
