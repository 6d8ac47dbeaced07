#include "k8sclient/api_error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::k8s {
namespace {

using nlohmann::json;

HttpResponse refused(int status, const json& body, HttpHeaders headers = {}) {
  return {.status = status, .headers = std::move(headers), .body = body.dump()};
}

struct CodeCase {
  int status;
  const char* reason;
  ErrorCode code;
};

class ApiErrorCodes : public testing::TestWithParam<CodeCase> {};

TEST_P(ApiErrorCodes, AreTypedAsTheClientSays) {
  const auto& [status, reason, code] = GetParam();
  const Error error = error_of_response(refused(status, {{"reason", reason}, {"message", "m"}}));
  EXPECT_EQ(error.code, code);
  EXPECT_EQ(error.message, "m");
}

INSTANTIATE_TEST_SUITE_P(All, ApiErrorCodes,
                         testing::Values(CodeCase{404, "NotFound", ErrorCode::kNotFound},
                                         CodeCase{409, "AlreadyExists", ErrorCode::kAlreadyExists},
                                         CodeCase{409, "Conflict", ErrorCode::kAborted},
                                         CodeCase{410, "Expired", ErrorCode::kOutOfRange},
                                         CodeCase{410, "Gone", ErrorCode::kOutOfRange},
                                         CodeCase{422, "Invalid", ErrorCode::kInvalidArgument},
                                         CodeCase{400, "BadRequest", ErrorCode::kInvalidArgument},
                                         CodeCase{401, "Unauthorized", ErrorCode::kUnauthenticated},
                                         CodeCase{403, "Forbidden", ErrorCode::kPermissionDenied},
                                         CodeCase{429, "TooManyRequests", ErrorCode::kResourceExhausted},
                                         CodeCase{500, "InternalError", ErrorCode::kUnavailable},
                                         CodeCase{503, "ServiceUnavailable", ErrorCode::kUnavailable},
                                         CodeCase{504, "Timeout", ErrorCode::kDeadlineExceeded},
                                         CodeCase{405, "MethodNotAllowed", ErrorCode::kUnimplemented},
                                         CodeCase{418, "Teapot", ErrorCode::kUnknown}));

TEST(ApiError, NamesTheFieldOfTheFirstCause) {
  const json body = {{"message", "Pod is invalid"},
                     {"reason", "Invalid"},
                     {"details", {{"causes", {{{"field", "spec.containers[0].image"}}, {{"field", "spec.other"}}}}}}};
  EXPECT_EQ(error_of_response(refused(422, body)).field, "spec.containers[0].image");
}

TEST(ApiError, ReadsAPlainTextRefusalWithRetryAfter) {
  const HttpResponse response{.status = 429,
                              .headers = {{"content-type", "text/plain"}, {"retry-after", "2"}},
                              .body = "Too many requests, please try again later.\n"};
  const Error error = error_of_response(response);
  EXPECT_EQ(error.code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(error.message, "HTTP 429: Too many requests, please try again later.");
  EXPECT_EQ(error.retry_after, std::chrono::seconds(2));
}

TEST(ApiError, TellsWhatAPolicyDeniesFromWhatIsNotValid) {
  const auto code = [](int status, const char* message) {
    return error_of_response(refused(status, {{"reason", "Invalid"}, {"message", message}})).code;
  };
  EXPECT_EQ(
      code(400, "admission webhook \"validate.kyverno.svc-fail\" denied the request: resource Pod/ml/x was blocked"),
      ErrorCode::kPermissionDenied);
  EXPECT_EQ(
      code(422, "pods \"x\" is forbidden: ValidatingAdmissionPolicy 'labels' with binding 'all' denied request: x"),
      ErrorCode::kPermissionDenied);
  EXPECT_EQ(code(422, "Pod \"x\" is invalid: spec.containers[0].image: Required value"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(400, "admission webhook \"x\" does not support dry run"), ErrorCode::kInvalidArgument);
}

TEST(ApiError, TakesTheRetryHintOfTheStatusObjectUnlessAHeaderSaysOtherwise) {
  const json body = {{"message", "wait"}, {"details", {{"retryAfterSeconds", 7}}}};
  EXPECT_EQ(error_of_response(refused(504, body)).retry_after, std::chrono::seconds(7));
  EXPECT_EQ(error_of_response(refused(504, body, {{"retry-after", "3"}})).retry_after, std::chrono::seconds(3));
}

TEST(ApiError, IgnoresARetryAfterThatIsNotASmallNumber) {
  for (const char* text : {"Wed, 21 Oct 2026 07:28:00 GMT", "-1", "", "99999999", "2s"}) {
    EXPECT_EQ(error_of_response(refused(429, json::object(), {{"retry-after", text}})).retry_after, std::nullopt)
        << text;
  }
}

TEST(ApiError, DoesNotRepeatHtmlOrBinaryBodies) {
  EXPECT_EQ(error_of_response({.status = 502, .headers = {}, .body = "<html>bad gateway</html>"}).message, "HTTP 502");
  EXPECT_EQ(error_of_response({.status = 502, .headers = {}, .body = "\xff\xfe"}).message, "HTTP 502");
}

TEST(ApiError, CutsALongTextBetweenCharacters) {
  std::string body;
  for (int i = 0; i < 400; ++i) body += "é";
  const Error error = error_of_response({.status = 500, .headers = {}, .body = body});
  EXPECT_LT(error.message.size(), 330U);
  EXPECT_TRUE(error.message.ends_with("é..."));
}

TEST(ApiError, SurvivesAStatusOfTheWrongShape) {
  for (const json& body :
       {json::array(), json("text"), json(7), json{{"message", 5}, {"details", {{"causes", {1, 2}}}}}}) {
    EXPECT_EQ(error_of_response(refused(409, body)).code, ErrorCode::kAborted) << body;
  }
}

TEST(ApiError, ReadsTheStatusOfAnErrorLine) {
  const Error error = error_of_status({{"code", 410}, {"reason", "Expired"}, {"message", "too old resource version"}});
  EXPECT_EQ(error.code, ErrorCode::kOutOfRange);
  EXPECT_EQ(error.message, "too old resource version");
}

}  // namespace
}  // namespace det::k8s
