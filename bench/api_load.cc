// The load that bench/speed.py puts on the REST API, and what came back, on one line:
//   api_load reports PORT TASKS SECONDS [METRICS]   each task reports as fast as it is answered
//   api_load logs    PORT TASKS POSTS LINES         each task posts that often that many lines
//   api_load polls   PORT TASKS TARGET TOKEN        each task waits for its preemption; then POST TARGET
//   api_load get     PORT TOKEN TARGET TIMES [CONNECTIONS]
// TASKS is a file with a line "TRIAL TASK ALLOCATION TOKEN" per connection.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "bench/keep_alive_client.h"

namespace {

using det::bench::Answer;
using det::bench::KeepAliveClient;
using det::bench::percentile;
using det::bench::request_text;
using det::bench::SteadyClock;

constexpr const char* kHost = "127.0.0.1";
constexpr std::chrono::milliseconds kTick{20};

struct Task {
  std::string trial, id, allocation, token;
};

std::vector<Task> read_tasks(const char* path) {
  std::vector<Task> tasks;
  std::ifstream file(path);
  for (Task task; file >> task.trial >> task.id >> task.allocation >> task.token;) tasks.push_back(task);
  if (tasks.empty()) {
    std::fprintf(stderr, "%s holds no line TRIAL TASK ALLOCATION TOKEN\n", path);
    std::exit(2);
  }
  return tasks;
}

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

void print_times(std::vector<double>& times) {
  std::printf("p50 %.2f p90 %.2f p99 %.2f max %.2f ms", percentile(times, 0.5), percentile(times, 0.9),
              percentile(times, 0.99), percentile(times, 1));
}

std::string format(const char* pattern, double value) {
  std::array<char, 64> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), pattern, value))};
}

// As python-requests sends what the harness reports: spaces, 17 digits.
std::string report_body(const Task& task, int metrics, long steps, std::mt19937_64& random) {
  std::uniform_real_distribution<double> value(0.0, 1.0);
  std::string values;
  for (int i = 0; i < metrics; ++i) {
    if (i > 0) values += ", ";
    values += "\"metric_" + std::to_string(i) + "\": " + format("%.17g", value(random));
  }
  return R"({"group": "training", "metrics": {"trialId": )" + task.trial + R"(, "trialRunId": 1, "stepsCompleted": )" +
         std::to_string(steps) + R"(, "reportTime": null, "metrics": {"avgMetrics": {)" + values +
         R"(}, "batchMetrics": null}}})";
}

int reports(std::uint16_t port, const std::vector<Task>& tasks, double seconds, int metrics) {
  std::mt19937_64 random(7);
  std::vector<long> steps(tasks.size(), 0);
  std::vector<double> times;
  times.reserve(1 << 20);
  long failed = 0;
  std::size_t waiting = 0;
  auto begin = SteadyClock::now();
  bool is_over = false;
  KeepAliveClient* client = nullptr;
  const auto next = [&](std::size_t i) {
    const std::string body = report_body(tasks[i], metrics, ++steps[i], random);
    client->send(i, request_text("POST", "/api/v1/trials/" + tasks[i].trial + "/metrics", tasks[i].token, body));
    ++waiting;
  };
  KeepAliveClient load(kHost, port, tasks.size(), [&](std::size_t i, const Answer& answer) {
    --waiting;
    times.push_back(answer.milliseconds);
    if (answer.status != 200) ++failed;
    if (!is_over) next(i);
  });
  client = &load;
  for (std::size_t i = 0; i < tasks.size(); ++i) next(i);
  while (times.size() < tasks.size()) load.poll(kTick);  // the first of each: caches and series are made
  times.clear();
  begin = SteadyClock::now();
  while (seconds_since(begin) < seconds) load.poll(kTick);
  const double took = seconds_since(begin);
  const std::size_t measured = times.size();
  is_over = true;
  while (waiting > 0) load.poll(kTick);
  long all = 0;
  for (const long count : steps) all += count;
  std::printf("%.0f reports/s, ", static_cast<double>(measured) / took);
  print_times(times);
  std::printf(", failed %ld, acknowledged %ld\n", failed, all - failed);
  return failed == 0 ? 0 : 1;
}

std::string log_text(std::mt19937_64& random, long number) {
  std::uniform_real_distribution<double> value(0.0, 1.0);
  std::string text = "epoch " + std::to_string(number / 1000) + " batch " + std::to_string(number % 1000) +
                     "/1000: loss " + format("%.6f", value(random)) + " accuracy " + format("%.4f", value(random)) +
                     " lr 0.001000 took " + format("%.3f", value(random) * 9) + " s";
  text.resize(111, ' ');
  return text;
}

std::string log_body(const Task& task, int lines, long& number, std::mt19937_64& random) {
  std::string body = R"({"logs": [)";
  for (int i = 0; i < lines; ++i, ++number) {
    if (i > 0) body += ", ";
    std::array<char, 64> time{};
    std::snprintf(time.data(), time.size(), "2026-11-21T%02ld:%02ld:%02ld.%06ld+00:00", number / 3'600'000 % 24,
                  number / 60'000 % 60, number / 1000 % 60, number % 1000 * 1000 + 137);
    body += R"({"task_id": ")" + task.id + R"(", "allocation_id": ")" + task.allocation +
            R"(", "agent_id": "node-1", )" + R"("container_id": "pod-1", "rank_id": 0, "timestamp": ")" + time.data() +
            R"(", "level": "INFO", "stdtype": "stdout", "source": "task", "log": ")" + log_text(random, number) +
            "\\n\"}";
  }
  return body + "]}";
}

int logs(std::uint16_t port, const std::vector<Task>& tasks, int posts, int lines) {
  std::mt19937_64 random(7);
  std::vector<std::vector<std::string>> requests(tasks.size());  // made before: the generator shares the machine
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    long number = 0;
    for (int n = 0; n < std::min(posts, 50); ++n) {
      const std::string body = log_body(tasks[i], lines, number, random);
      requests[i].push_back(request_text("POST", "/api/v1/task/logs", tasks[i].token, body));
    }
  }
  std::vector<int> done(tasks.size(), 0);
  std::vector<double> times;
  long failed = 0;
  KeepAliveClient* client = nullptr;
  const auto next = [&](std::size_t i) {
    const auto& texts = requests[i];
    client->send(i, texts[static_cast<std::size_t>(done[i]) % texts.size()]);
  };
  KeepAliveClient load(kHost, port, tasks.size(), [&](std::size_t i, const Answer& answer) {
    times.push_back(answer.milliseconds);
    if (answer.status != 200) ++failed;
    if (++done[i] < posts) next(i);
  });
  client = &load;
  const auto begin = SteadyClock::now();
  for (std::size_t i = 0; i < tasks.size(); ++i) next(i);
  const std::size_t all = tasks.size() * static_cast<std::size_t>(posts);
  while (times.size() < all) load.poll(kTick);
  const double took = seconds_since(begin);
  std::printf("%.0f lines/s, posts ", static_cast<double>(all) * lines / took);
  print_times(times);
  std::printf(", failed %ld, lines %zu\n", failed, all * static_cast<std::size_t>(lines));
  return failed == 0 ? 0 : 1;
}

int polls(std::uint16_t port, const std::vector<Task>& tasks, const std::string& target, const std::string& token) {
  std::vector<double> times;
  long told = 0;
  double trigger = 0;
  auto begin = SteadyClock::now();
  KeepAliveClient load(kHost, port, tasks.size() + 1, [&](std::size_t i, const Answer& answer) {
    const double now = seconds_since(begin) * 1000;
    if (i == tasks.size()) {
      trigger = now;
      if (answer.status != 200) std::printf("the trigger was answered %d; ", answer.status);
      return;
    }
    times.push_back(now);
    if (answer.body.find("true") != std::string::npos) ++told;
  });
  load.keep_bodies();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string path = "/api/v1/allocations/" + tasks[i].allocation + "/signals/preemption?timeoutSeconds=60";
    load.send(i, request_text("GET", path, tasks[i].token, ""));
  }
  // Everyone has looked once when nothing has come for a while.
  for (begin = SteadyClock::now(); seconds_since(begin) < 2;) load.poll(kTick);
  if (!times.empty()) std::printf("%zu were answered before; ", times.size());
  times.clear();
  begin = SteadyClock::now();
  load.send(tasks.size(), request_text("POST", target, token, ""));
  while ((times.size() < tasks.size() || trigger == 0) && seconds_since(begin) < 60) load.poll(kTick);
  std::printf("%zu of %zu told after ", static_cast<std::size_t>(told), tasks.size());
  print_times(times);
  std::printf("; the call itself %.2f ms\n", trigger);
  return told == static_cast<long>(tasks.size()) ? 0 : 1;
}

int get(std::uint16_t port, const std::string& token, const std::string& target, int times_wanted, int connections) {
  std::vector<double> times;
  std::vector<double> first;
  std::size_t bytes = 0;
  std::size_t lines = 0;
  long failed = 0;
  int sent = 0;
  KeepAliveClient* client = nullptr;
  const std::string request = request_text("GET", target, token, "");
  const auto next = [&](std::size_t i) {
    if (sent++ < times_wanted) client->send(i, request);
  };
  KeepAliveClient load(kHost, port, static_cast<std::size_t>(connections), [&](std::size_t i, const Answer& answer) {
    times.push_back(answer.milliseconds);
    first.push_back(answer.first_byte);
    bytes = answer.bytes;
    lines = answer.lines;
    if (answer.status != 200) ++failed;
    next(i);
  });
  client = &load;
  const auto begin = SteadyClock::now();
  for (std::size_t i = 0; i < load.size(); ++i) next(i);
  while (times.size() < static_cast<std::size_t>(times_wanted)) load.poll(kTick);
  const double took = seconds_since(begin);
  print_times(times);
  std::printf(", first byte p50 %.2f ms, %.1f/s, %zu bytes, %zu lines (%.0f lines/s), failed %ld\n",
              percentile(first, 0.5), static_cast<double>(times.size()) / took, bytes, lines,
              static_cast<double>(lines * times.size()) / took, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number = [&](std::size_t i, int fallback) {
    return words.size() > i ? std::atoi(words[i].c_str()) : fallback;
  };
  if (words.size() < 4) {
    std::fprintf(stderr, "usage: see the first lines of bench/api_load.cc\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(number(1, 0));
  if (words[0] == "reports") return reports(port, read_tasks(argv[3]), number(3, 5), number(4, 10));
  if (words[0] == "logs") return logs(port, read_tasks(argv[3]), number(3, 10), number(4, 1000));
  if (words[0] == "polls" && words.size() > 4) return polls(port, read_tasks(argv[3]), words[3], words[4]);
  if (words[0] == "get") return get(port, words[2], words[3], number(4, 100), number(5, 1));
  std::fprintf(stderr, "api_load: %s is not reports, logs, polls or get\n", words[0].c_str());
  return 2;
}
