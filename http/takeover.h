#pragma once

// Routes whose handler takes the connection over once a request's head was admitted: it reads the body and writes the
// answer itself, byte by byte, and may turn the connection into something else. Belongs to the io thread.

#include <functional>
#include <optional>
#include <string_view>

#include "base/task.h"
#include "http/byte_stream.h"
#include "http/message.h"

namespace det::http {

// The client's side of the connection, behind the request's head: its body, and what the client sends next.
class ClientStream : public ByteStream {
 public:
  // Bytes that were read beyond the request; they are read next, by this handler or as the next request.
  virtual void unread(std::string_view bytes) = 0;
  // Whether stop() of the server may close the connection at once. At first it may not.
  virtual void set_cuttable(bool is_cuttable) = 0;

  bool is_http11 = true;
  bool wants_keep_alive = false;  // what the client asked for
};

struct TakeoverEnd {
  // Nothing was sent yet: the server sends this. The body may be unread: the connection then closes.
  std::optional<Response> answer = {};
  // The whole request was read and wholly answered: the next one may come.
  bool keep_alive = false;
};

// `request` has no body. What it holds may be given up when it is not needed any more.
using Takeover = std::function<Task<TakeoverEnd>(Request& request, ClientStream& client)>;

}  // namespace det::http
