#include "http/router.h"

#include <gtest/gtest.h>

#include "http/target.h"

namespace det::http {
namespace {

// A handler that is told apart by its body limit.
Router table() {
  const Handler none = [](const Request&) -> Task<Response> { co_return Response{}; };
  Router router;
  router.add("GET", "/", none, {.body_limit = 1});
  router.add("GET", "/trials/{id}", none, {.body_limit = 2});
  router.add("GET", "/trials/metrics", none, {.body_limit = 3});
  router.add("POST", "/trials/{id}/metrics", none, {.body_limit = 4});
  router.add("GET", "/proxy/{service}/{rest...}", none, {.body_limit = 5});
  router.add("PATCH", "/trials/{id}", none, {.body_limit = 6});
  return router;
}

Router::Match find(const Router& router, std::string_view method, std::string_view path) {
  return router.find(method, parse_target(path)->segments);
}

TEST(Router, PrefersTextToAParameter) {
  const Router router = table();
  EXPECT_EQ(find(router, "GET", "/trials/metrics").route->options.body_limit, 3U);
  EXPECT_EQ(find(router, "GET", "/trials/7").route->options.body_limit, 2U);
}

TEST(Router, ComesBackFromADeadEndOfText) {
  const Router router = table();
  const auto match = find(router, "POST", "/trials/metrics/metrics");
  EXPECT_EQ(match.route->options.body_limit, 4U);
  EXPECT_EQ(match.params.get("id"), "metrics");
}

TEST(Router, GivesTheParametersTheirDecodedText) {
  EXPECT_EQ(find(table(), "GET", "/trials/a%2Fb").params.get("id"), "a/b");
}

TEST(Router, MatchesWhatRemainsAlsoWhenItIsNothing) {
  const Router router = table();
  EXPECT_EQ(find(router, "GET", "/proxy/x/a/b").params.get("rest"), "a/b");
  EXPECT_EQ(find(router, "GET", "/proxy/x").params.get("service"), "x");
  EXPECT_EQ(find(router, "GET", "/proxy/x").params.get("rest"), "");
}

TEST(Router, TellsAWrongMethodFromAnUnknownPath) {
  const Router router = table();
  const auto wrong = find(router, "DELETE", "/trials/7");
  EXPECT_EQ(wrong.allow, "GET, PATCH");
  EXPECT_NE(wrong.route, find(router, "GET", "/nowhere").route);
  EXPECT_EQ(find(router, "GET", "/nowhere").allow, "");
  EXPECT_EQ(find(router, "GET", "/trials//").route, find(router, "GET", "/nowhere").route);
}

TEST(Router, AnswersHeadWithTheGetRoute) {
  EXPECT_EQ(find(table(), "HEAD", "/").route->options.body_limit, 1U);
}

TEST(Router, ListsItsRoutes) {
  EXPECT_EQ(table().list(),
            (std::vector<std::string>{"GET /", "GET /proxy/{service}/{rest...}", "GET /trials/metrics",
                                      "GET /trials/{id}", "PATCH /trials/{id}", "POST /trials/{id}/metrics"}));
}

}  // namespace
}  // namespace det::http
