#pragma once

// From HTTP requests to reads and writes. Belongs to the io thread; everything it refers to outlives it.

#include <string>
#include <vector>

#include "http/message.h"
#include "local/kubeapi/pod_log.h"
#include "local/kubeapi/reader.h"
#include "local/kubeapi/request.h"
#include "local/kubeapi/writer.h"

namespace det::local::kubeapi {

class Handlers {
 public:
  Handlers(Clock& clock, const ObjectStore& store, const Registry& registry, Reader& reader, ObjectWriter& writer,
           PodLogs& logs)
      : clock_(clock), store_(store), registry_(registry), reader_(reader), writer_(writer), logs_(logs) {}

  // Any request of a client that has shown its token.
  Task<http::Response> handle(const http::Request& request);

 private:
  Task<http::Response> get(ApiRequest api, const http::Request& request);
  Task<http::Response> post(ApiRequest api, const http::Request& request);
  Task<http::Response> put(ApiRequest api, const http::Request& request);
  Task<http::Response> patch(ApiRequest api, const http::Request& request);
  Task<http::Response> remove(ApiRequest api, const http::Request& request);
  // Commits the mutation, or for a dry run only tries it.
  Task<http::Response> write(const http::Request& request, TypeRef type, Mutation mutation,
                             std::shared_ptr<std::vector<std::string>> warnings);
  [[nodiscard]] http::Response about(const http::Request& request) const;

  Clock& clock_;
  const ObjectStore& store_;
  const Registry& registry_;
  Reader& reader_;
  ObjectWriter& writer_;
  PodLogs& logs_;
};

}  // namespace det::local::kubeapi
