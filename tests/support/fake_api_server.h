#pragma once

// A Kubernetes API server in memory behind HttpTransport: get, list with pages and selectors, create, put, patch,
// delete, the status subresource, watches with bookmarks and 410, dry run, preconditions. The conformance suite
// (tests/k8sclient/conformance_test.cc) runs on it and on a real server. It checks no schema, knows every kind, treats
// a strategic merge patch as a merge patch, and deletes no dependents (but see delete_dependents). Belongs to the io
// thread. Wrap it in FaultyTransport for faults.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "base/http_client.h"
#include "k8sclient/config.h"
#include "k8sclient/resource.h"
#include "tests/support/fake_store.h"

namespace det::test {

class FakeApiServer final : public HttpTransport {
 public:
  FakeApiServer(asio::any_io_executor executor, Clock& clock);

  // For a Client of this server.
  [[nodiscard]] std::shared_ptr<k8s::Config> config() const;

  // Reads and writes behind the clients' back, as other users of the cluster would. create and set_status abort when
  // the server refuses; find gives null when there is no such object.
  nlohmann::json create(const k8s::Resource& resource, nlohmann::json object);
  void set_status(const k8s::Resource& resource, const k8s::ObjectKey& key, nlohmann::json status);
  // The whole object at once, status and metadata too, as a kubelet and the garbage collector leave it.
  void overwrite(const k8s::Resource& resource, const k8s::ObjectKey& key, nlohmann::json object);
  void erase(const k8s::Resource& resource, const k8s::ObjectKey& key);
  // Asks for its deletion as a client does: a pod on a node ends in its own time.
  void ask_to_delete(const k8s::Resource& resource, const k8s::ObjectKey& key);
  [[nodiscard]] nlohmann::json find(const k8s::Resource& resource, const k8s::ObjectKey& key) const;
  [[nodiscard]] std::vector<nlohmann::json> all(const k8s::Resource& resource, const std::string& ns = {}) const;
  // The same without copies.
  [[nodiscard]] std::vector<StoredObject> shared(const k8s::Resource& resource, const std::string& ns = {}) const;
  // What the garbage collector does: removes objects whose owners are all gone, until nothing is left to remove.
  void delete_dependents();

  // What admission makes of an object that clients create, dry runs too; `collection` is "v1/pods".
  void admit_with(std::function<void(const std::string& collection, nlohmann::json& object)> admission) {
    admission_ = std::move(admission);
  }

  // What admission refuses of what clients create, dry runs apart; nothing: it may pass.
  void refuse_with(
      std::function<std::optional<StoreAnswer>(const std::string& collection, const nlohmann::json& object)> refusal) {
    refusal_ = std::move(refusal);
  }

  // What dry runs of what clients create are answered instead; nothing: they are tried.
  void answer_dry_runs_with(std::function<std::optional<StoreAnswer>(const std::string& collection)> answer) {
    dry_run_answer_ = std::move(answer);
  }

  // Forgets the history: older positions of watches and pages get 410.
  void compact() { store_.compact(); }
  // Every open watch gets a bookmark with the version of now.
  void send_bookmarks();
  [[nodiscard]] std::uint64_t version() const { return store_.version(); }
  [[nodiscard]] std::size_t open_watches() const { return open_watches_; }

  Task<Result<HttpResponse>> send(HttpRequest request) override;
  Task<Result<HttpResponse>> stream(HttpRequest request, BodySink sink) override;

 private:
  // "/apis/G/V/namespaces/NS/PLURAL/NAME/SUB?query", taken apart.
  struct Target {
    std::string collection;  // "G/V/PLURAL", "v1/PLURAL"
    std::string ns;
    std::string name;
    std::string subresource;
    std::map<std::string, std::string> query;
  };
  static Target parse(const std::string& url);
  StoreAnswer handle(const HttpRequest& request, const Target& target);
  StoreAnswer list(const Target& target) const;
  StoreAnswer patch(const HttpRequest& request, const Target& target);
  Task<Result<HttpResponse>> watch(Target target, BodySink sink, std::chrono::nanoseconds idle_timeout);

  Clock& clock_;
  FakeStore store_;
  Signal changed_;
  std::function<void(const std::string&, nlohmann::json&)> admission_;
  std::function<std::optional<StoreAnswer>(const std::string&, const nlohmann::json&)> refusal_;
  std::function<std::optional<StoreAnswer>(const std::string&)> dry_run_answer_;
  std::uint64_t bookmarks_ = 0;
  std::size_t open_watches_ = 0;
};

}  // namespace det::test
