#include "tests/api/fixture.h"

#include <exception>
#include <utility>

#include <boost/asio/error.hpp>

namespace det::api {

namespace {

// A client that has gone.
class NoClient final : public http::ClientStream {
 public:
  std::size_t read_now(char*, std::size_t, boost::system::error_code& ec) override {
    ec = asio::error::eof;
    return 0;
  }
  Task<boost::system::error_code> wait_readable() override { co_return asio::error::eof; }
  std::size_t write_now(std::string_view) override { return 0; }
  Task<boost::system::error_code> write(std::string_view) override { co_return asio::error::broken_pipe; }
  void finish_writing() override {}
  void close() override {}
  [[nodiscard]] bool is_open() const override { return false; }
  [[nodiscard]] bool has_hung_up() const override { return true; }
  void settle() override {}
  void unread(std::string_view) override {}
  void set_cuttable(bool) override {}
};

// What a stream sends, and whether it came to its end.
Task<std::pair<std::string, bool>> read(http::StreamBody stream) {
  TextWriter writer;
  try {
    co_await stream(writer);
  } catch (const std::exception&) {
    co_return std::pair(writer.seen, false);
  }
  co_return std::pair(writer.seen, true);
}

}  // namespace

ApiTest::ApiTest() : ApiTest({}, nullptr) {}
ApiTest::ApiTest(model::OidcConfig oidc_config, HttpTransport* provider)
    : oidc(std::move(oidc_config)), sign_in_calls(provider) {
  const auto session =
      must(authenticator.login({.username = "determined", .password = "", .is_hashed = true, .peer = "127.0.0.1:1"}));
  token = session.token;
}
ApiTest::~ApiTest() {
  workers.join();
}

store::TaskRow ApiTest::insert_task(const std::string& type, const std::string& description) {
  store::NewTask task;
  task.id = uuid_v4();
  task.type = type;
  task.nonce = uuid_v4();
  task.ns = "team";
  task.owner = {2};
  task.description = description;
  task.config = json::object();
  task.access.token = "the-token";
  task.access.private_key = "private";
  return must(tasks.insert(task));
}

http::Response ApiTest::unread(const std::string& target) {
  http::Request request;
  request.method = "GET";
  request.target = target;
  if (!token.empty()) request.headers.add("Authorization", "Bearer " + token);
  auto parsed = http::parse_target(target).value();
  request.path = parsed.path;
  request.query = std::move(parsed.query);
  auto match = router.find(request.method, parsed.segments);
  request.params = std::move(match.params);
  return run(match.route->handler(request));
}

Answer ApiTest::call(const std::string& method, const std::string& target, std::string body) {
  http::Request request;
  request.method = method;
  request.target = target;
  request.headers = headers;
  if (!token.empty()) request.headers.add("Authorization", "Bearer " + token);
  request.body = http::Body(std::move(body));
  auto parsed = http::parse_target(target).value();
  request.path = parsed.path;
  request.query = std::move(parsed.query);
  auto match = router.find(method, parsed.segments);
  request.params = std::move(match.params);
  const http::Response response = run(answer_to(*match.route, request));
  Answer answer{.status = response.status,
                .text = response.body,
                .headers = response.headers,
                .dropped = response.drop_connection};
  if (response.stream) {
    auto [text, is_whole] = run(read(response.stream));
    answer.text = std::move(text);
    answer.is_cut = !is_whole;
  }
  compare_with_description(match.route->name, request, answer);
  return answer;
}

Task<http::Response> ApiTest::answer_to(const http::Route& route, http::Request& request) {
  if (!route.options.takeover) co_return co_await route.handler(request);
  NoClient client;
  auto end = co_await route.options.takeover(request, client);
  co_return std::move(end.answer).value_or(http::Response::dropped());
}

std::int64_t ApiTest::create(const std::string& yaml, bool activate) {
  const Answer made = post("/api/v1/experiments", {{"config", yaml}, {"activate", activate}});
  EXPECT_EQ(made.status, 200) << made.text;
  return made.body()["experiment"].value("id", std::int64_t{0});
}

json ApiTest::object(std::int64_t id) const {
  return kubernetes.find(k8s::experiments(), {.ns = "team", .name = "exp-" + std::to_string(id)});
}

void ApiTest::compare_with_description(const std::string& route, const http::Request& request,
                                       const Answer& answer) const {
  const bool is_route = route != "unknown path" && route != "wrong method";
  if (!is_as_described || !is_route || answer.dropped) return;
  const DescribedAnswer described{.status = answer.status,
                                  .text = answer.text,
                                  .type = std::string(answer.headers.find("Content-Type").value_or("")),
                                  .is_cut = answer.is_cut};
  for (const std::string& difference : described_api().differences(route, request, described)) {
    ADD_FAILURE() << route << ": " << difference << " (api/description)";
  }
}

}  // namespace det::api
