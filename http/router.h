#pragma once

// One table of routes: method and pattern -> handler. Filled before the server starts, then only read.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "http/takeover.h"

namespace det::http {

struct RouteOptions {
  std::size_t body_limit = std::size_t{8} << 20;  // bytes; larger requests are answered 413
  Admission admit = {};                           // none: everybody is served
  // What the server itself would answer with a 5xx closes the connection without a word instead.
  bool never_5xx = false;
  // Instead of a handler, which is then empty: `body_limit` does not count.
  Takeover takeover = {};
};

struct Route {
  Handler handler;
  RouteOptions options;
  std::string name;  // "GET /api/v1/trials/{id}"
};

class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  // `pattern` is a path whose segments are text, or {name} for any one segment, or - as the last - {name...} for what
  // remains (also nothing). `method` "*" takes those that have no route of their own. Text wins over {name}, {name}
  // over {name...}. A GET route answers HEAD too. One slash at the end of a path is ignored. Adding the same method and
  // pattern twice aborts.
  void add(std::string method, std::string_view pattern, Handler handler, RouteOptions options = {});
  // Both take small bodies only. Answers paths that no pattern matches; default: 404 {"message":"api not found: GET
  // /x"}.
  void set_not_found(Handler handler) { not_found_.handler = std::move(handler); }
  // Answers known paths with another method; default: 405 with an Allow header.
  void set_wrong_method(Handler handler) { wrong_method_.handler = std::move(handler); }

  struct Match {
    const Route* route = nullptr;  // never null
    Params params;
    std::string allow;  // the path's methods, when `method` is not among them
  };
  // `segments` is the decoded path split at its slashes (http/target.h).
  [[nodiscard]] Match find(std::string_view method, const std::vector<std::string>& segments) const;

  // "GET /api/v1/master" for every route, sorted: for tests and documentation.
  [[nodiscard]] std::vector<std::string> list() const;

 private:
  struct Node;
  std::unique_ptr<Node> root_;
  Route not_found_;
  Route wrong_method_;
};

}  // namespace det::http
