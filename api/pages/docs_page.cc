// The description of the REST API, as a document for programs and as a page for people. Both are the same for
// everybody and hold nothing of the cluster's: strangers may read them.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/description/openapi.h"
#include "api/pages/html.h"
#include "api/pages/routes.h"
#include "api/pages/text_stream.h"
#include "api/route_table.h"
#include "base/encoding.h"
#include "base/guarded_work.h"
#include "wire/forms.h"

namespace det::api {

// Compiled in by det_embed_files of CMakeLists.txt.
std::vector<std::pair<std::string_view, std::string_view>> page_files();

}  // namespace det::api

namespace det::api::routes {

namespace {

struct Document {
  std::string text;
  std::string etag;  // quoted
};

Result<Document> build_document() {
  const auto description = read_description(description_files());
  DET_TRY(description);
  const auto api = openapi_document(*description, route_entries());
  DET_TRY(api);
  Document document{.text = wire::dump(*api)};
  document.etag = "\"" + sha256_hex(document.text).substr(0, 32) + "\"";
  return document;
}

// Made once, on a pool: it takes longer than the io thread has.
const Result<Document>& built_document() {
  static const Result<Document> kDocument = build_document();
  return kDocument;
}

// What a page of ours may do: its own script and style, and questions to this server.
http::Response own_file(std::string_view name, const char* type) {
  http::Response response;
  for (const auto& [file, content] : page_files()) {
    if (file == name) response.body = content;
  }
  response.headers.add("Content-Type", type);
  restrict_page(response,
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                "form-action 'none'; base-uri 'none'; frame-ancestors 'none'");
  response.headers.add("Cache-Control", "no-cache");
  return response;
}

}  // namespace

Task<Result<http::Response>> api_description(ApiServices& services, Call call) {
  auto work = [] { return &built_document(); };
  const Result<Document>* const built = co_await run_guarded(services.workers, std::move(work));
  if (!*built) co_return fail(ErrorCode::kInternal, "the description of the API: " + built->error().message);
  const Document& document = **built;
  http::Response response;
  response.headers.add("ETag", document.etag);
  response.headers.add("Cache-Control", "no-cache");
  response.headers.add("X-Content-Type-Options", "nosniff");
  if (call.request.headers.find("If-None-Match").value_or("").contains(document.etag)) {
    response.status = 304;
    co_return response;
  }
  response.headers.add("Content-Type", "application/json");
  response.stream = stream_of(document.text);
  co_return response;
}

Task<Result<http::Response>> docs_page(ApiServices& services, Call call) {
  static_cast<void>(services);
  static_cast<void>(call);
  co_return own_file("docs.html", "text/html; charset=utf-8");
}

Task<Result<http::Response>> docs_script(ApiServices& services, Call call) {
  static_cast<void>(services);
  static_cast<void>(call);
  co_return own_file("docs.js", "text/javascript; charset=utf-8");
}

Task<Result<http::Response>> docs_style(ApiServices& services, Call call) {
  static_cast<void>(services);
  static_cast<void>(call);
  co_return own_file("docs.css", "text/css; charset=utf-8");
}

}  // namespace det::api::routes
