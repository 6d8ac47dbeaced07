#pragma once

// Counts what a request takes of the io thread. A detail of http/session.cc.

#include <algorithm>

#include "http/session.h"
#include "http/step_meter.h"

namespace det::http {

// What a request takes of the io thread, from its head to its answer, is the route's.
class MeasuredRequest {
 public:
  MeasuredRequest(SessionShared& shared, StepMeter& meter, const Route& route)
      : shared_(shared), meter_(meter), route_(route) {}
  ~MeasuredRequest() {
    const StepMeter::Taken taken = meter_.take();
    RouteLoad& load = shared_.routes[route_.name];
    ++load.requests;
    load.seconds += taken.seconds;
    load.longest = std::max(load.longest, taken.longest);
    if (taken.longest <= kLongOnIoThread) return;
    ++load.long_requests;
    shared_.log.warn("a request held the io thread up", {{"route", route_.name}, {"cpu_seconds", taken.longest}});
  }
  MeasuredRequest(const MeasuredRequest&) = delete;
  MeasuredRequest& operator=(const MeasuredRequest&) = delete;

 private:
  SessionShared& shared_;
  StepMeter& meter_;
  const Route& route_;
};

}  // namespace det::http
