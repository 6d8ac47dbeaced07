#pragma once

// Holds what the tests send and get against the description of the API (api/description): a query parameter, a member
// of a body or of an answer, or a status that it does not have, or has of another type, is a failure. So a test that
// uses a route proves what is said of it. Requests that are refused prove nothing of what is taken. When all tests have
// run, every route must have been compared at least once.

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "http/message.h"

namespace det::api {

struct DescribedAnswer {
  int status = 0;
  std::string text;
  std::string type;  // Content-Type
  bool is_cut = false;
};

class DescribedApi {
 public:
  // The document as the server gives it.
  DescribedApi();

  // What is not as described, one line each. `route` is that of the router: "GET /api/v1/trials/{id}".
  [[nodiscard]] std::vector<std::string> differences(const std::string& route, const http::Request& request,
                                                     const DescribedAnswer& answer) const;
  [[nodiscard]] const nlohmann::json& document() const { return document_; }

 private:
  nlohmann::json document_;
};

// Routes that were served, of those that were compared.
[[nodiscard]] std::set<std::string>& compared_routes();

// Made once for the whole program.
[[nodiscard]] const DescribedApi& described_api();

}  // namespace det::api
