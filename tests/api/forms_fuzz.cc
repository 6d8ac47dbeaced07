// The JSON bodies of REST: the first byte chooses the form. What is refused names a reason; what is taken keeps the
// promises of its reader.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/access/access_forms.h"
#include "api/checkpoints/checkpoint_report.h"
#include "api/experiments/context_pack.h"
#include "api/experiments/experiment_create.h"
#include "api/experiments/live_edit.h"
#include "api/logs/log_lines.h"
#include "api/logs/plain_log_lines.h"
#include "api/searches/runner_wire.h"
#include "base/tgz.h"
#include "http/target.h"
#include "wire/request_fields.h"

namespace {

using namespace det;

template <typename T>
void insist_on_reason(const Result<T>& result) {
  if (!result && result.error().message.empty()) std::abort();
}

void read_lines(std::string_view body) {
  const WallTime now{};
  const auto plain = api::read_plain_lines(body, now);
  const auto json = api::parse_log_body(body);
  if (!json) {
    if (plain) std::abort();
    return;
  }
  const auto lines = api::read_posted_lines(*json, now);
  insist_on_reason(lines);
  if (plain && (!lines || !(*lines == *plain))) std::abort();
  if (!lines) return;
  for (const auto& line : lines->lines) {
    if (!line.text.ends_with('\n')) std::abort();
  }
}

void read_files(const wire::Json& json) {
  const wire::Json body = {{"files", json}};
  const auto packed = api::pack_files(wire::RequestFields(body), "files");
  insist_on_reason(packed);
  if (packed && !packed->empty() && !unpack_tgz(packed->archive, api::kMaxContextBytes)) std::abort();
}

void read_log_query(std::string_view query) {
  const auto target = http::parse_target("/logs?" + std::string(query));
  if (target) insist_on_reason(api::read_log_request(target->query, "task"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const int choice = data[0] % 8;
  if (choice == 0) read_lines(body);
  if (choice == 1) read_log_query(body);
  if (choice == 2) insist_on_reason(api::read_create_request(body));
  if (choice < 3) return 0;
  const auto json = wire::parse_any_body(body);
  if (!json) return 0;
  if (choice == 3) read_files(*json);
  if (!json->is_object()) return 0;
  if (choice == 4) insist_on_reason(api::read_checkpoint_report(*json, {}));
  if (choice == 5) insist_on_reason(api::read_checkpoint_patches(*json));
  if (choice == 6) insist_on_reason(api::read_commands(*json));
  if (choice == 7) insist_on_reason(api::read_live_settings(wire::RequestFields(*json)));
  if (choice == 7) insist_on_reason(api::read_assignments(*json));
  return 0;
}
