#pragma once

// Answers that are streams of messages. A Stream is a class whose constructor takes the services, the arguments and the
// writer, and whose run() sends messages until it is done or the client has gone. Belongs to the io thread.

#include <utility>

#include "api/call.h"
#include "http/message.h"
#include "wire/error.h"

namespace det::api {

// Copies of the arguments live as long as the stream.
template <typename Stream, typename... Args>
Task<void> run_frames(http::Writer& writer, ApiServices& services, Args... args) {
  Stream stream(services, std::move(args)..., writer);
  const Status done = co_await stream.run();
  if (!done) co_await writer.write(wire::dump(wire::stream_error(done.error())) + "\n");
}

template <typename Stream, typename... Args>
http::Response frames(ApiServices& services, Args... args) {
  http::Response response;
  response.headers.add("Content-Type", "application/json");
  response.stream = [&services, args...](http::Writer& writer) {
    return run_frames<Stream, Args...>(writer, services, args...);
  };
  return response;
}

}  // namespace det::api
