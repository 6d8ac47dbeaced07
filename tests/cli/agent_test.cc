#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Agents : CliTest {
  Agents() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }  // no login in the way

  static Json agent(const std::string& id) {
    const Json device = {{"id", 0}, {"brand", "A100"}, {"uuid", ""}, {"type", "TYPE_CUDA"}};
    const auto slot = [&](const char* number, const Json& container) {
      return Json{{"id", number}, {"enabled", true}, {"draining", false}, {"container", container}, {"device", device}};
    };
    return {{"id", id},
            {"version", "0.38.1"},
            {"registeredTime", "2026-01-02T00:00:00Z"},
            {"slots",
             {{"000", slot("0", {{"id", "pod-a"}})}, {"001", slot("1", {{"id", "web"}})}, {"002", slot("2", nullptr)}}},
            {"containers", {{"pod-a", Json::object()}}},
            {"resourcePools", {"default", "gpu"}},
            {"enabled", true},
            {"draining", false},
            {"addresses", {"10.0.0.7"}}};
  }
  static Json tasks() {
    const Json one = {{"taskId", "t"},
                      {"allocationId", "t.1"},
                      {"name", "Trial 1"},
                      {"resources", {{{"containerId", "pod-a"}, {"agentDevices", {{"n1", Json::object()}}}}}}};
    return {{"allocationIdToSummary", {{"t.1", one}}}};
  }
};

TEST_F(Agents, AreListedInOrder) {
  http.answer(200, {{"agents", {agent("n2"), agent("n1")}}});
  EXPECT_EQ(det({"agent", "list", "--csv"}).out,
            "Agent ID,Version,Registered Time,Slots,Containers,Resource Pool,Enabled,Draining,Addresses\r\n"
            "n1,0.38.1,2026-01-02 00:00:00+0000,3,1,\"default, gpu\",True,False,10.0.0.7\r\n"
            "n2,0.38.1,2026-01-02 00:00:00+0000,3,1,\"default, gpu\",True,False,10.0.0.7\r\n");
  http.answer(200, {{"agents", {agent("n1")}}});
  EXPECT_EQ(Json::parse(det({"a", "ls", "--json"}).out)[0]["num_slots"], 3);
}

TEST_F(Agents, ShowWhoHoldsTheirSlots) {
  http.answer(200, tasks());
  http.answer(200, {{"agents", {agent("n1")}}});
  EXPECT_EQ(det({"slot", "list", "--csv"}).out,
            "Agent ID,Resource Pool,Slot ID,Enabled,Draining,Allocation ID,Task Name,Type,Device\r\n"
            "n1,\"default, gpu\",0,True,False,t.1,Trial 1,cuda,A100\r\n"
            "n1,\"default, gpu\",1,True,False,OCCUPIED,Non-Determined Task: web,cuda,A100\r\n"
            "n1,\"default, gpu\",2,True,False,FREE,FREE,cuda,A100\r\n");
}

TEST_F(Agents, AreDisabledAndEnabled) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"agent", "disable", "n1"}).err, "Disabled agent n1.\n");
  http.answer(200, {{"agents", {agent("n2"), agent("n1")}}});
  http.answer(200, Json::object());
  http.answer(200, Json::object());
  EXPECT_EQ(det({"agent", "enable", "--all"}).err, "Enabled agent n1.\nEnabled agent n2.\n");
  EXPECT_THAT(http.asked(), ElementsAre("POST /api/v1/agents/n1/disable", "GET /api/v1/agents",
                                        "POST /api/v1/agents/n1/enable", "POST /api/v1/agents/n2/enable"));
  EXPECT_THAT(det({"agent", "enable"}).err, HasSubstr("Please pass agent id or --all option."));
  EXPECT_THAT(det({"agent", "disable", "n1", "--all"}).err, HasSubstr("not both"));
}

TEST_F(Agents, ShowWhatIsLeftWhileTheyDrain) {
  http.answer(200, Json::object());
  http.answer(200, tasks());
  const Outcome shown = det({"agent", "disable", "--drain", "n1"});
  EXPECT_EQ(sent(0), (Json{{"drain", true}}));
  EXPECT_THAT(shown.out, HasSubstr("Tasks still in progress on draining nodes."));
  EXPECT_THAT(shown.out, HasSubstr("t.1"));
  http.answer(200, Json::object());
  http.answer(200, tasks());
  EXPECT_EQ(det({"agent", "disable", "--drain", "--json", "n2"}).out, "{}\n");
}

TEST_F(Agents, HaveSlotsThatAreDisabledOneByOne) {
  http.answer(200, {{"slot", nullptr}});
  EXPECT_EQ(det({"slot", "disable", "n1", "0"}).out, "Disabled slot 0 of agent n1\n");
  http.answer(200, {{"slot", nullptr}});
  EXPECT_EQ(det({"slot", "enable", "n1", "0"}).out, "Enabled slot 0 of agent n1\n");
  EXPECT_THAT(http.asked(),
              ElementsAre("POST /api/v1/agents/n1/slots/0/disable", "POST /api/v1/agents/n1/slots/0/enable"));
  EXPECT_EQ(det({"slot", "disable", "n1", "first"}).code, kUsage);
}

}  // namespace
}  // namespace det::cli
