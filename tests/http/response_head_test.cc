#include "http/response_head.h"

#include <gtest/gtest.h>

namespace det::http {
namespace {

TEST(ResponseHead, StatesLengthAndKeepAlive) {
  EXPECT_EQ(response_head(Response::json("{}", 404), Framing::kLength, true),
            "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "Connection: keep-alive\r\n\r\n");
}

TEST(ResponseHead, StatesNoLengthOfWhatHasNoBody) {
  Response response;
  response.status = 304;
  EXPECT_EQ(response_head(response, Framing::kLength, true),
            "HTTP/1.1 304 Not Modified\r\nConnection: keep-alive\r\n\r\n");
}

TEST(ResponseHead, LeavesOutAFieldThatWouldStartAnother) {
  Response response;
  response.headers.add("X-Name", "a\r\nSet-Cookie: auth=stolen");
  response.headers.add("X-Bad\n", "b");
  EXPECT_EQ(response_head(response, Framing::kChunked, false),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
}

TEST(ResponseHead, WritesChunkSizesInHex) {
  EXPECT_EQ(chunk_head(255), "ff\r\n");
}

}  // namespace
}  // namespace det::http
