#include "operator/live_object.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/run_task.h"

namespace det::op {
namespace {

using nlohmann::json;

struct LiveObject : ::testing::Test {
  LiveObject() { uid = get_string(api.create(k8s::trials(), object())["metadata"], "uid"); }
  [[nodiscard]] json object() const { return {{"metadata", {{"name", key.name}, {"namespace", key.ns}}}}; }
  Result<bool> asked() {
    return test::run_task(io, is_kept(client, {.resource = k8s::trials(), .key = key, .uid = uid}));
  }

  const k8s::ObjectKey key{.ns = "team", .name = "exp-1"};
  asio::io_context io;
  SystemClock clock;
  test::FakeApiServer api{io.get_executor(), clock};
  k8s::Client client{api, api, api.config(), clock, "test"};
  std::string uid;
};

TEST_F(LiveObject, IsKeptAsLongAsNobodyDeletesIt) {
  EXPECT_TRUE(asked().value());
  json going = api.find(k8s::trials(), key);
  going["metadata"]["finalizers"] = {"foregroundDeletion"};
  api.overwrite(k8s::trials(), key, going);
  EXPECT_TRUE(asked().value());
  api.ask_to_delete(k8s::trials(), key);
  EXPECT_FALSE(asked().value());
}

TEST_F(LiveObject, IsNotKeptWhereItIsGoneOrAnotherHasItsName) {
  api.erase(k8s::trials(), key);
  EXPECT_FALSE(asked().value());
  api.create(k8s::trials(), object());
  EXPECT_FALSE(asked().value());
}

}  // namespace
}  // namespace det::op
