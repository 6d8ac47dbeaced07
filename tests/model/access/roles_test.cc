#include "model/access/roles.h"

#include <gmock/gmock.h>

#include "model/access/grants.h"

namespace det::model {
namespace {

using enum Permission;
using testing::ElementsAre;
using testing::Optional;

TEST(Roles, AreThoseOfDetermined) {
  std::vector<std::string> names;
  for (const Role& role : all_roles()) names.push_back(to_string(role.id) + " " + role.name);
  EXPECT_THAT(names, ElementsAre("1 ClusterAdmin", "2 WorkspaceAdmin", "3 WorkspaceCreator", "4 Viewer", "5 Editor",
                                 "6 ModelRegistryViewer", "7 EditorRestricted", "8 GenAIUser",
                                 "9 EditorProjectRestricted", "10 TokenCreator"));
  EXPECT_EQ(find_role({11}), nullptr);
}

TEST(Roles, HaveWhatMakesSenseForTheWholeClusterOnlyWhereTheyAreAssignedToIt) {
  std::vector<std::string> global;
  for (const Role& role : all_roles()) {
    if (role.is_global_only()) global.push_back(role.name);
  }
  EXPECT_THAT(global, ElementsAre("ClusterAdmin", "WorkspaceCreator", "GenAIUser", "TokenCreator"));
}

TEST(Roles, OfTheRestrictedEditorLackTasksAndNothingElse) {
  const auto& editor = find_role({5})->permissions;
  std::vector<Permission> lacks;
  std::ranges::set_difference(editor, find_role({7})->permissions, std::back_inserter(lacks));
  EXPECT_THAT(lacks, ElementsAre(kCreateNsc, kUpdateNsc));
}

TEST(Grants, AreOfAWorkspaceOrOfAll) {
  Grants grants;
  grants.add({4}, WorkspaceId{7});
  EXPECT_TRUE(grants.in(kViewWorkspace, {7}));
  EXPECT_FALSE(grants.in(kViewWorkspace, {8}));
  EXPECT_FALSE(grants.everywhere(kViewWorkspace));
  EXPECT_FALSE(grants.in(kUpdateExperiment, {7}));
  EXPECT_TRUE(grants.somewhere(kViewWorkspace));
  EXPECT_FALSE(grants.somewhere(kAssignRoles));
  EXPECT_THAT(grants.workspaces(kViewWorkspace), Optional(ElementsAre(WorkspaceId{7})));
  grants.add({4}, std::nullopt);
  EXPECT_TRUE(grants.in(kViewWorkspace, {8}));
  EXPECT_EQ(grants.workspaces(kViewWorkspace), std::nullopt) << "all there are";
}

TEST(Grants, OfAnUnknownRoleAreNone) {
  Grants grants;
  grants.add({99}, std::nullopt);
  for (const PermissionInfo& one : permissions()) EXPECT_FALSE(grants.somewhere(one.permission)) << one.word;
}

}  // namespace
}  // namespace det::model
