#include "tests/store/fixture.h"

namespace det::store {
namespace {

using nlohmann::json;

struct Templates : StoreTest {
  void add(const std::string& name, const json& config = json::object()) {
    must(templates.create({.name = name, .config = config, .workspace = {1}}));
  }
  std::vector<std::string> names(TemplateFilter filter) {
    std::vector<std::string> found;
    for (const TemplateRow& row : must(templates.list(std::move(filter))).items) found.push_back(row.name);
    return found;
  }
};

TEST_F(Templates, KeepWhatWasWritten) {
  const json config = {{"resources", {{"slots", 4}}}, {"environment", {{"image", "a:1"}}}};
  add("gpu", config);
  const auto found = must(templates.find("gpu"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->config, config);
  EXPECT_EQ(found->workspace.value, 1);
  EXPECT_FALSE(must(templates.find("GPU")));
}

TEST_F(Templates, HaveNamesOfTheirOwn) {
  add("gpu");
  const auto again = run(templates.create({.name = "gpu", .config = json::object(), .workspace = {1}}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(again.error().message, "template 'gpu' already exists");
  const auto nowhere = run(templates.create({.name = "x", .config = json::object(), .workspace = {9}}));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "workspace '9' not found");
}

TEST_F(Templates, ChangeAndGo) {
  add("gpu");
  EXPECT_EQ(must(templates.set_config("gpu", {{"a", 1}})).config, json({{"a", 1}}));
  EXPECT_EQ(must(templates.find("gpu"))->config, json({{"a", 1}}));
  must(templates.remove("gpu"));
  EXPECT_EQ(run(templates.remove("gpu")).error().message, "template 'gpu' not found");
  EXPECT_EQ(run(templates.set_config("gpu", {})).error().code, ErrorCode::kNotFound);
}

TEST_F(Templates, AreChangedAndMovedAsFarAsItIsSaid) {
  const model::WorkspaceId other =
      must(workspaces.create({.name = "other", .owner = {1}, .agent = {}, .defaults = {}}));
  must(templates.create({.name = "t", .config = {{"a", 1}}, .workspace = {1}, .owner = model::UserId{1}}));
  const TemplateRow moved = must(templates.put({.name = "t", .config = {}, .workspace = other, .owner = {}}));
  EXPECT_EQ(moved.config, json({{"a", 1}}));
  EXPECT_EQ(moved.workspace, other);
  EXPECT_EQ(moved.owner, model::UserId{1});
  EXPECT_EQ(must(templates.put({.name = "t", .config = {{"b", 2}}, .workspace = {}, .owner = {}})).workspace, other);
  EXPECT_EQ(must(templates.find("t"))->config, json({{"b", 2}}));
  EXPECT_EQ(run(templates.put({.name = "t", .config = {}, .workspace = {99}, .owner = {}})).error().message,
            "workspace '99' not found");
  EXPECT_EQ(run(templates.put({.name = "u", .config = json::object(), .workspace = {}, .owner = {}})).error().message,
            "template 'u' not found");
}

TEST_F(Templates, AreChangedOnlyOfWhomItIsSaid) {
  must(templates.create({.name = "hers", .config = json::object(), .workspace = {1}, .owner = model::UserId{1}}));
  add("nobodys");
  const TemplateRow mine{.name = "hers", .config = {{"a", 1}}, .workspace = {1}, .owner = model::UserId{2}};
  for (const char* name : {"hers", "nobodys"}) {
    EXPECT_EQ(run(templates.set_config(name, {{"a", 1}}, model::UserId{2})).error().code, ErrorCode::kPermissionDenied);
  }
  EXPECT_EQ(run(templates.put(mine, model::UserId{2})).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(must(templates.find("hers"))->config, json::object());
  EXPECT_EQ(must(templates.put(mine, model::UserId{1})).owner, model::UserId{1});
  EXPECT_EQ(must(templates.put(mine)).config, json({{"a", 1}}));
  EXPECT_EQ(run(templates.set_config("none", {}, model::UserId{2})).error().code, ErrorCode::kNotFound);
}

TEST_F(Templates, AreListedByNameInPages) {
  for (const char* name : {"b-gpu", "a", "c-GPU"}) add(name);
  EXPECT_EQ(names({}), (std::vector<std::string>{"a", "b-gpu", "c-GPU"}));
  EXPECT_EQ(names({.name_part = "gpu", .order = Order::kDescending}), (std::vector<std::string>{"c-GPU", "b-gpu"}));
  EXPECT_EQ(names({.page = {.offset = 1, .limit = 1}}), std::vector<std::string>{"b-gpu"});
  EXPECT_EQ(names({.workspaces = {{2}}}), std::vector<std::string>());
  EXPECT_EQ(run(templates.list({.page = {.offset = 9}})).error().message, "offset out of bounds");
}

}  // namespace
}  // namespace det::store
