#include "tests/support/fake_api_server.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "base/check.h"
#include "base/json_get.h"
#include "tests/support/fake_transport.h"
#include "tests/support/selectors.h"

namespace det::test {
namespace {

using nlohmann::json;

std::string collection_of(const k8s::Resource& resource) {
  return resource.api_version() + "/" + resource.plural;
}

std::string percent_decode(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string header_of(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return value;
  }
  return {};
}

std::string query_value(const std::map<std::string, std::string>& query, const std::string& name) {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

HttpResponse response_of(const StoreAnswer& answer) {
  return {.status = answer.status, .headers = {{"content-type", "application/json"}}, .body = answer.body.dump()};
}

}  // namespace

FakeApiServer::FakeApiServer(asio::any_io_executor executor, Clock& clock)
    : clock_(clock), store_(clock), changed_(std::move(executor)) {}

std::shared_ptr<k8s::Config> FakeApiServer::config() const {
  return k8s::Config::for_server("https://fake.invalid", "fake-token", nullptr, clock_);
}

FakeApiServer::Target FakeApiServer::parse(const std::string& url) {
  const std::string text = path_of_url(url);
  const auto question = text.find('?');
  Target target;
  if (question != std::string::npos) {
    for (const auto& pair : split(text.substr(question + 1), '&')) {
      const auto equals = pair.find('=');
      target.query[pair.substr(0, equals)] = equals == std::string::npos ? "" : percent_decode(pair.substr(equals + 1));
    }
  }
  auto parts = split(text.substr(0, question), '/');
  const bool core = !parts.empty() && parts[0] == "api";
  const std::size_t prefix = core ? 2 : 3;
  if (parts.size() <= prefix) return target;
  const std::string version = core ? parts[1] : parts[1] + "/" + parts[2];
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(prefix));
  const bool in_namespace = parts.size() > 2 && parts[0] == "namespaces" && parts[2] != "status";
  if (in_namespace) {
    target.ns = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  target.collection = version + "/" + parts[0];
  if (parts.size() > 1) target.name = parts[1];
  if (parts.size() > 2) target.subresource = parts[2];
  return target;
}

Task<Result<HttpResponse>> FakeApiServer::send(HttpRequest request) {
  const Target target = parse(request.url);
  const std::uint64_t before = store_.version();
  const StoreAnswer answer =
      target.collection.empty() ? refusal(404, "NotFound", "the server could not find this") : handle(request, target);
  if (store_.version() != before) changed_.notify_all();
  co_return response_of(answer);
}

StoreAnswer FakeApiServer::handle(const HttpRequest& request, const Target& target) {
  const bool dry_run = query_value(target.query, "dryRun") == "All";
  if (request.method == "GET") {
    return target.name.empty() ? list(target) : store_.get(target.collection, target.ns, target.name);
  }
  if (request.method == "PATCH") return patch(request, target);
  json body = request.body.empty() ? json::object() : json::parse(request.body, nullptr, false);
  if (!body.is_object()) return refusal(400, "BadRequest", "the body is not a JSON object");
  if (request.method == "POST" && admission_) admission_(target.collection, body);
  if (request.method == "POST" && refusal_ && !dry_run) {
    if (auto refused = refusal_(target.collection, body)) return std::move(*refused);
  }
  if (request.method == "POST" && dry_run_answer_ && dry_run) {
    if (auto answer = dry_run_answer_(target.collection)) return std::move(*answer);
  }
  if (request.method == "POST") return store_.create(target.collection, target.ns, body, dry_run);
  if (request.method == "DELETE") return store_.remove(target.collection, target.ns, target.name, body);
  if (request.method == "PUT") {
    return store_.replace(target.collection, target.ns, target.name, body, target.subresource, dry_run);
  }
  return refusal(405, "MethodNotAllowed", "the server does not allow this method");
}

StoreAnswer FakeApiServer::patch(const HttpRequest& request, const Target& target) {
  const StoreAnswer current = store_.get(target.collection, target.ns, target.name);
  if (current.status != 200) return current;
  const json patch = json::parse(request.body, nullptr, false);
  const bool is_json_patch = header_of(request, "Content-Type") == "application/json-patch+json";
  if (patch.is_discarded() || patch.is_array() != is_json_patch) {
    return refusal(400, "BadRequest", "the patch cannot be read");
  }
  json changed = current.body;
  if (is_json_patch) {
    try {
      changed = current.body.patch(patch);
    } catch (const json::exception&) {
      return refusal(422, "Invalid", "the server rejected our request due to an error in our request");
    }
  } else {
    changed.merge_patch(patch);
  }
  const bool dry_run = query_value(target.query, "dryRun") == "All";
  return store_.replace(target.collection, target.ns, target.name, std::move(changed), target.subresource, dry_run);
}

// A page's continue token is "<version>:<how many objects were served>".
StoreAnswer FakeApiServer::list(const Target& target) const {
  const auto token = split(query_value(target.query, "continue"), ':');
  const std::size_t from = token.size() == 2 ? std::stoul(token[1]) : 0;
  if (token.size() == 2 && std::stoull(token[0]) < store_.oldest_version()) {
    return refusal(410, "Expired", "The provided continue parameter is too old to display a consistent list result");
  }
  std::vector<StoredObject> items = store_.all(target.collection, target.ns);
  std::erase_if(items, [&](const StoredObject& object) {
    return !matches_labels(*object, query_value(target.query, "labelSelector")) ||
           !matches_fields(*object, query_value(target.query, "fieldSelector"));
  });
  const std::string limit_text = query_value(target.query, "limit");
  const std::size_t limit = limit_text.empty() ? items.size() : std::stoul(limit_text);
  const std::string version = token.size() == 2 ? token[0] : std::to_string(store_.version());
  json page = {{"kind", "List"}, {"apiVersion", "v1"}, {"metadata", {{"resourceVersion", version}}}};
  page["items"] = json::array();
  std::size_t at = from;
  for (; at < items.size() && at < from + limit; ++at) page["items"].push_back(*items[at]);
  if (at < items.size()) page["metadata"]["continue"] = version + ":" + std::to_string(at);
  return {.status = 200, .body = std::move(page)};
}

json FakeApiServer::create(const k8s::Resource& resource, json object) {
  const std::string ns = resource.namespaced ? get_string(get_object(object, "metadata"), "namespace") : "";
  object["apiVersion"] = resource.api_version();
  object["kind"] = resource.kind;
  const json status = get_any(object, "status");
  auto answer = store_.create(collection_of(resource), ns, std::move(object), false);
  DET_CHECK(answer.status == 201, "a test creates objects that do not exist yet");
  if (!status.is_null()) {
    const std::string name = get_string(get_object(answer.body, "metadata"), "name");
    set_status(resource, {.ns = ns, .name = name}, status);
    answer = store_.get(collection_of(resource), ns, name);
  }
  changed_.notify_all();
  return answer.body;
}

void FakeApiServer::set_status(const k8s::Resource& resource, const k8s::ObjectKey& key, json status) {
  json changed = {{"status", std::move(status)}};
  const auto answer = store_.replace(collection_of(resource), key.ns, key.name, std::move(changed), "status", false);
  DET_CHECK(answer.status == 200, "a test sets the status of objects that exist");
  changed_.notify_all();
}

void FakeApiServer::overwrite(const k8s::Resource& resource, const k8s::ObjectKey& key, json object) {
  store_.overwrite(collection_of(resource), key.ns, key.name, std::move(object));
  changed_.notify_all();
}

void FakeApiServer::ask_to_delete(const k8s::Resource& resource, const k8s::ObjectKey& key) {
  store_.remove(collection_of(resource), key.ns, key.name, json::object());
  changed_.notify_all();
}

void FakeApiServer::erase(const k8s::Resource& resource, const k8s::ObjectKey& key) {
  store_.remove(collection_of(resource), key.ns, key.name, {{"gracePeriodSeconds", 0}});
  changed_.notify_all();
}

json FakeApiServer::find(const k8s::Resource& resource, const k8s::ObjectKey& key) const {
  auto answer = store_.get(collection_of(resource), key.ns, key.name);
  return answer.status == 200 ? std::move(answer.body) : json();
}

std::vector<json> FakeApiServer::all(const k8s::Resource& resource, const std::string& ns) const {
  std::vector<json> copies;
  for (const StoredObject& object : shared(resource, ns)) copies.push_back(*object);
  return copies;
}

std::vector<StoredObject> FakeApiServer::shared(const k8s::Resource& resource, const std::string& ns) const {
  return store_.all(collection_of(resource), ns);
}

void FakeApiServer::delete_dependents() {
  const auto is_orphan = [](const json& object, const std::set<std::string>& alive) {
    const json& owners = get_array(get_object(object, "metadata"), "ownerReferences");
    return !owners.empty() &&
           std::ranges::none_of(owners, [&](const json& o) { return alive.contains(get_string(o, "uid")); });
  };
  for (bool removed = true; removed;) {
    removed = false;
    const auto objects = store_.everything();
    std::set<std::string> alive;
    for (const auto& [where, object] : objects) alive.insert(get_string(object.at("metadata"), "uid"));
    for (const auto& [where, object] : objects) {
      if (!is_orphan(object, alive)) continue;
      const json& metadata = object.at("metadata");
      store_.remove(where, get_string(metadata, "namespace"), get_string(metadata, "name"),
                    json{{"gracePeriodSeconds", 0}});
      removed = true;
    }
  }
  changed_.notify_all();
}

void FakeApiServer::send_bookmarks() {
  ++bookmarks_;
  changed_.notify_all();
}

}  // namespace det::test
