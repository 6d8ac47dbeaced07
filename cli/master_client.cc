#include "cli/master_client.h"

#include <array>
#include <chrono>

namespace det::cli {
namespace {

using std::chrono::milliseconds;

// A server may take five minutes to see which files there are (storage/key_listing.h).
constexpr milliseconds kDownloadIdle{360'000};
constexpr milliseconds kFirstRetry{500};
constexpr milliseconds kCallTimeout{300'000};

bool is_away(int status) {
  return status == 502 || status == 503 || status == 504;
}

std::string escaped(std::string_view text, std::string_view kept) {
  static constexpr std::array kHex = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'};
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_word || kept.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return out;
}

// gRPC routes say {"error": {"error": text}}, plain ones {"message": text}; a proxy in between says anything.
std::string message_of(const HttpResponse& response) {
  const Json body = Json::parse(response.body, nullptr, false);
  if (body.is_object()) {
    const Json error = field(body, "error");
    for (const Json& text : {field(error, "error"), field(error, "message"), field(body, "message")}) {
      if (text.is_string() && !text.get_ref<const std::string&>().empty()) return text.get<std::string>();
    }
  }
  std::string text = response.body.substr(0, 500);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return "the server answered " + std::to_string(response.status) + (text.empty() ? "" : ": " + text);
}

// As message_of() understands it; every error of a master is one of these.
bool has_masters_form(const std::string& text) {
  const Json body = Json::parse(text, nullptr, false);
  if (!body.is_object()) return false;
  const Json error = field(body, "error");
  return field(body, "message").is_string() || field(error, "error").is_string() || field(error, "message").is_string();
}

ErrorCode code_of(int status) {
  switch (status) {
    case 400:
      return ErrorCode::kInvalidArgument;
    case 401:
      return ErrorCode::kUnauthenticated;
    case 403:
      return ErrorCode::kPermissionDenied;
    case 404:
      return ErrorCode::kNotFound;
    case 409:
      return ErrorCode::kAborted;
    case 429:
      return ErrorCode::kResourceExhausted;
    case 501:
      return ErrorCode::kUnimplemented;
    default:
      return status >= 500 ? ErrorCode::kUnavailable : ErrorCode::kUnknown;
  }
}

}  // namespace

Error error_of(const HttpResponse& response) {
  Error error{.code = code_of(response.status), .message = message_of(response), .field = {}, .retry_after = {}};
  if (response.status == 401) {
    error.message = "Unauthenticated: Please use 'det user login <username>' for password login (the server said: " +
                    error.message + ")";
  } else if (response.status == 403) {
    error.message =
        "Forbidden(" + error.message + "): Please contact your administrator in order to access this resource.";
  }
  return error;
}

std::string query_text(const Query& query) {
  std::string text;
  for (const auto& [name, value] : query) {
    text += (text.empty() ? "?" : "&") + escaped(name, "-_.~") + "=" + escaped(value, "-_.~");
  }
  return text;
}

std::string path_segment(std::string_view text) {
  return escaped(text, "-_.~");
}

HttpRequest MasterClient::request(const std::string& method, const std::string& path) const {
  HttpRequest out;
  out.method = method;
  out.url = master_.url + path;
  out.tls = trust_->tls;
  out.timeout = kCallTimeout;
  if (!token_.empty()) out.headers.emplace_back("Authorization", "Bearer " + token_);
  return out;
}

Error MasterClient::unreachable(const Error& error) const {
  Error out = error;
  // The transport names method and address; people have them in the same line already.
  const auto address = error.message.find("://");
  const auto reason = address == std::string::npos ? address : error.message.find(": ", address);
  if (reason != std::string::npos) out.message = error.message.substr(reason + 2);
  const std::string where = master_.url + " (from " + master_.source + ")";
  if (error.code == ErrorCode::kPermissionDenied) {
    out.message = "cannot trust the certificate of " + where + ": " + out.message +
                  "; set DET_MASTER_CERT_FILE to a file with its certificate or CA";
  } else {
    const bool is_plain = out.message.find("wrong version number") != std::string::npos;
    out.message = "cannot reach a master at " + where + ": " +
                  (is_plain ? "it speaks http there, not https" : out.message) +
                  "; set DET_MASTER or -m to its address, or start one on this machine with "
                  "'det deploy local cluster-up'";
  }
  return out;
}

Error MasterClient::not_a_master(const std::string& answer) const {
  return {.code = ErrorCode::kDataLoss,
          .message = master_.url + " (from " + master_.source + ") is not a master: it answered " + answer +
                     ". Another program listens there; set DET_MASTER or -m to the master's address",
          .field = {},
          .retry_after = {}};
}

Error MasterClient::refusal(const HttpResponse& response) const {
  if (has_masters_form(response.body)) return error_of(response);
  const int status = response.status;
  if (const auto place = response.header("Location"); place && status >= 300 && status < 400) {
    return {.code = ErrorCode::kDataLoss,
            .message = master_.url + " (from " + master_.source + ") sends on to " + std::string(*place) +
                       ", and a master's address has to be the one that answers; set DET_MASTER or -m to that",
            .field = {},
            .retry_after = {}};
  }
  // Servers say these themselves; anything else may come from what stands between us and a master.
  if (status < 400 || status == 401 || status == 404 || status == 405 || status == 501) {
    return not_a_master(std::to_string(status) + " to a question that every master understands");
  }
  Error error = error_of(response);
  error.message += " (asked at " + master_.url + ", from " + master_.source + ")";
  return error;
}

Task<Result<Json>> MasterClient::run(HttpRequest call) {
  const bool may_repeat = call.method == "GET";
  milliseconds pause = kFirstRetry;
  for (int tries = 0;; ++tries) {
    auto response = co_await world_.http.send(call);
    // Nothing was sent to whom we do not trust: any method may come again.
    if (!response && response.error().code == ErrorCode::kPermissionDenied && trust_->question) {
      const auto question = std::exchange(trust_->question, {});
      auto trusted = co_await question();
      DET_CO_TRY(trusted);
      if (*trusted != nullptr) {
        trust_->tls = call.tls = std::move(*trusted);
        continue;
      }
    }
    const bool is_gone = response ? is_away(response->status) : response.error().code == ErrorCode::kUnavailable;
    if (!is_gone || !may_repeat || tries >= retries_) {
      if (!response) co_return std::unexpected(unreachable(response.error()));
      if (response->status >= 300) co_return std::unexpected(refusal(*response));
      if (response->body.empty()) co_return Json();
      Json body = Json::parse(response->body, nullptr, false);
      if (!body.is_discarded()) co_return body;
      co_return std::unexpected(not_a_master("with a page that is no JSON"));
    }
    co_await world_.clock.sleep_for(pause);
    pause *= 2;
  }
}

Task<Result<Json>> MasterClient::get(std::string path, Query query) {
  return run(request("GET", path + query_text(query)));
}

Task<Result<Json>> MasterClient::get_large(std::string path) {
  HttpRequest call = request("GET", path);
  call.timeout = milliseconds::zero();
  call.idle_timeout = kDownloadIdle;
  return run(std::move(call));
}

Task<Result<Json>> MasterClient::send(std::string method, std::string path, std::optional<Json> body) {
  HttpRequest call = request(method, path);
  if (body) {
    call.body = body->dump(-1, ' ', false, Json::error_handler_t::replace);
    call.headers.emplace_back("Content-Type", "application/json");
  }
  return run(std::move(call));
}

Task<Result<Json>> MasterClient::upload(std::string path, std::string body,
                                        std::function<void(std::uint64_t, std::uint64_t)> progress) {
  HttpRequest call = request("POST", path);
  call.body = std::move(body);
  call.headers.emplace_back("Content-Type", "application/json");
  call.timeout = milliseconds::zero();  // a slow line may need long; TCP says when it is dead
  call.on_upload = std::move(progress);
  return run(std::move(call));
}

Task<Status> MasterClient::download(std::string path, std::string accept, std::function<Status(std::string_view)> take,
                                    DownloadPart part) {
  HttpRequest call = request("GET", path);
  call.headers.emplace_back("Accept", std::move(accept));
  call.headers.insert(call.headers.end(), part.headers.begin(), part.headers.end());
  call.timeout = milliseconds::zero();
  call.idle_timeout = kDownloadIdle;
  Status status;
  if (part.on_head) {
    call.on_head = [&](const HttpResponse& head) {
      status = part.on_head(head);
      return status.has_value();
    };
  }
  const BodySink sink = [&](std::string_view bytes) {
    status = take(bytes);
    return status.has_value();
  };
  const auto response = co_await world_.http.stream(std::move(call), sink);
  if (!status) co_return status;
  if (!response) co_return std::unexpected(unreachable(response.error()));
  const bool is_refused = response->status >= 300;
  if (is_refused && part.says_all_was_sent && part.says_all_was_sent(*response)) co_return Status();
  if (is_refused) co_return std::unexpected(refusal(*response));
  co_return Status();
}

Task<Status> MasterClient::follow(std::string path, Query query, std::function<void(const Json&)> on_item,
                                  std::function<void()> on_answer) {
  HttpRequest call = request("GET", path + query_text(query));
  call.timeout = milliseconds::zero();
  if (on_answer) {
    call.on_head = [&on_answer](const HttpResponse& /*head*/) {
      on_answer();
      return true;
    };
  }
  std::string partial;
  Status status;
  const auto take_line = [&](std::string_view line) {
    const Json message = Json::parse(line, nullptr, false);
    if (const Json error = field(message, "error"); !error.is_null()) {
      status = fail(ErrorCode::kUnavailable, "the server ended the stream: " + text_field(error, "message"));
    } else if (const Json item = field(message, "result"); !item.is_null()) {
      on_item(item);
    } else {
      status =
          fail(ErrorCode::kDataLoss, "the server sent a line that is no message: " + std::string(line.substr(0, 200)));
    }
  };
  const BodySink sink = [&](std::string_view bytes) {
    partial += bytes;
    std::size_t start = 0;
    for (auto end = partial.find('\n'); end != std::string::npos && status; end = partial.find('\n', start)) {
      if (end > start) take_line(std::string_view(partial).substr(start, end - start));
      start = end + 1;
    }
    partial.erase(0, start);
    world_.out.flush();
    // Who reads our output may have left: det trial logs -f 1 | head.
    if (status && !world_.out) status = fail(ErrorCode::kCanceled, "cannot write the output");
    return status.has_value();
  };
  const auto response = co_await world_.http.stream(std::move(call), sink);
  if (!status) co_return status;
  if (!response) co_return std::unexpected(unreachable(response.error()));
  if (response->status >= 300) co_return std::unexpected(refusal(*response));
  co_return Status();
}

Task<Result<Json>> MasterClient::list(std::string path, std::string key, Query query, std::int64_t limit,
                                      std::int64_t offset, bool one_page) {
  Json items = Json::array();
  while (true) {
    Query page = query;
    page.emplace_back("offset", std::to_string(offset));
    if (limit > 0) page.emplace_back("limit", std::to_string(limit));
    const auto answer = co_await get(path, std::move(page));
    DET_CO_TRY(answer);
    const Json found = field(*answer, key);
    if (!found.is_array()) co_return fail(ErrorCode::kDataLoss, "the answer of " + path + " has no list '" + key + "'");
    for (const Json& item : found) items.push_back(item);
    const Json position = field(*answer, "pagination");
    const std::int64_t end = integer_field(position, "endIndex");
    if (one_page || end >= integer_field(position, "total") || end <= offset) co_return items;
    offset = end;
  }
}

}  // namespace det::cli
