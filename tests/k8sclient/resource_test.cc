#include "k8sclient/resource.h"

#include <gtest/gtest.h>

#include "k8sclient/request_path.h"

namespace det::k8s {
namespace {

TEST(Resource, MakesThePathsOfTheApi) {
  EXPECT_EQ(pods().collection_path("ns"), "/api/v1/namespaces/ns/pods");
  EXPECT_EQ(pods().collection_path(""), "/api/v1/pods");
  EXPECT_EQ(pods().object_path("ns", "a"), "/api/v1/namespaces/ns/pods/a");
  EXPECT_EQ(nodes().object_path("", "n"), "/api/v1/nodes/n");
  EXPECT_EQ(trials().object_path("ns", "t"), "/apis/det-operator.dev/v1alpha1/namespaces/ns/trials/t");
  EXPECT_EQ(namespaces().object_path("", "x"), "/api/v1/namespaces/x");
}

TEST(Resource, IgnoresANamespaceForClusterScopedKinds) {
  EXPECT_EQ(nodes().collection_path("ns"), "/api/v1/nodes");
}

TEST(Resource, KnowsItsApiVersion) {
  EXPECT_EQ(pods().api_version(), "v1");
  EXPECT_EQ(leases().api_version(), "coordination.k8s.io/v1");
}

TEST(ObjectKey, ReadsAsNamespaceAndName) {
  EXPECT_EQ(to_string(ObjectKey{.ns = "a", .name = "b"}), "a/b");
  EXPECT_EQ(to_string(ObjectKey{.ns = "", .name = "b"}), "b");
}

TEST(RequestPath, EncodesValuesAndLeavesOutEmptyOnes) {
  RequestPath path("/api/v1/pods");
  path.with("labelSelector", "a=b,c in (d, e)").with("fieldSelector", "").with("limit", "5");
  EXPECT_EQ(path.text(), "/api/v1/pods?labelSelector=a%3Db%2Cc%20in%20%28d%2C%20e%29&limit=5");
}

}  // namespace
}  // namespace det::k8s
