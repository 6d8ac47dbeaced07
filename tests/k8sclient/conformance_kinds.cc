// k8sclient's own tests run the suite on what they can have without local/.

#include "base/check.h"
#include "tests/support/api_under_test.h"

namespace det::test {

std::vector<ApiKind> conformance_kinds() {
  return {ApiKind::kFake, ApiKind::kReal};
}

std::unique_ptr<ApiHost> host_embedded_api(asio::io_context&, Clock&) {
  DET_CHECK(false, "the embedded API is tested by test_local");
  return nullptr;
}

}  // namespace det::test
