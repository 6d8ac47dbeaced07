#pragma once

// One operator's way to the Kubernetes API: calls and watches take time, drawn from the seed, and fail as the plan
// says. Belongs to the thread of the simulation.

#include <cstdint>
#include <functional>
#include <list>

#include "base/async.h"
#include "base/http_client.h"
#include "tests/simulation/fault_plan.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"

namespace det::simulation {

// What a fault does beyond the call itself.
struct Consequences {
  std::function<void()> killed;   // the process that called is dead from now on
  std::function<void()> usurped;  // it is cut off, and another one starts
  // A request that arrives when nobody waits for its answer any more.
  std::function<void(HttpRequest request, std::chrono::milliseconds delay)> deliver_late;
};

class ApiCalls final : public HttpTransport {
 public:
  ApiCalls(asio::any_io_executor executor, test::FakeApiServer& server, test::FakeClock& clock, Draw& draw,
           FaultPlan& plan, Consequences consequences);

  // Nothing gets through any more, until it does again.
  void cut_off(bool is_cut_off);
  // How often each write reaches the server: more than once is broken.
  void write_each(int times) { write_each_ = times; }
  [[nodiscard]] std::uint64_t writes() const { return writes_; }

  Task<Result<HttpResponse>> send(HttpRequest request) override;
  Task<Result<HttpResponse>> stream(HttpRequest request, BodySink sink) override;

 private:
  struct Pipe;
  Task<void> pump(HttpRequest request, Pipe& pipe);
  Task<void> deliver(Pipe& pipe, BodySink sink);
  Task<void> travel();

  asio::any_io_executor executor_;
  test::FakeApiServer& server_;
  test::FakeClock& clock_;
  Draw& draw_;
  FaultPlan& plan_;
  Consequences consequences_;
  std::list<Pipe*> open_;
  bool is_cut_off_ = false;
  int write_each_ = 1;
  std::uint64_t writes_ = 0;
};

}  // namespace det::simulation
