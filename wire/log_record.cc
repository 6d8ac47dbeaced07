#include "wire/log_record.h"

#include <algorithm>

namespace det::wire {

namespace {

constexpr std::size_t kShortId = 8;

// As dump() writes it, without a Json on the way. Bytes outside ASCII are left to dump(), which checks them.
void append_text(std::string& out, std::string_view text) {
  const std::size_t begin = out.size();
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      out.resize(begin);
      out += dump(Json(std::string(text)));
      return;
    }
    if (byte >= 0x20 && c != '"' && c != '\\') {
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      const std::string escaped = dump(Json(std::string(1, c)));
      out.append(escaped, 1, escaped.size() - 2);
    }
  }
  out += '"';
}

// `name` as R"("log":)"; a comma follows.
void append_field(std::string& out, std::string_view name, std::string_view text) {
  out += name;
  append_text(out, text);
  out += ',';
}

void append_set_field(std::string& out, std::string_view name, std::string_view text) {
  if (!text.empty()) append_field(out, name, text);
}

// What tells the pods of one log apart: of "fashion-mnist-7-31-1-0" the numbers of trial, run and rank, "31-1-0"; of
// other ids the first characters, as Determined has it.
std::string_view short_id(std::string_view id) {
  constexpr std::size_t kMostDigits = 8;  // the last group of a UUID has more
  constexpr int kMostGroups = 3;
  std::size_t begin = id.size();
  int groups = 0;
  for (; groups < kMostGroups; ++groups) {
    const std::size_t end = groups == 0 ? begin : begin - 1;
    std::size_t first = end;
    while (first > 0 && id[first - 1] >= '0' && id[first - 1] <= '9') --first;
    if (first == end || end - first > kMostDigits || first == 0 || id[first - 1] != '-') break;
    begin = first;
  }
  // Every pod's name ends with run and rank.
  return groups >= 2 ? id.substr(begin) : id.substr(0, kShortId);
}

std::string message_of(const LogRecord& record, std::string_view time) {
  std::string out;
  out.reserve(record.log.size() + 80);
  const std::string_view id = short_id(record.container_id);
  out.append("[").append(time).append("] ").append(id);
  out.append(kShortId - std::min(kShortId, id.size()), ' ');
  if (record.rank) out.append(" [rank=").append(std::to_string(*record.rank)).append("]");
  out.append(" ||");
  if (record.level != TaskLogLevel::kUnspecified) out.append(" ").append(short_name(record.level)).append(":");
  return out.append(" ").append(record.log);
}

// Keys are sorted, as in every other answer: `task` stands before the time, `trial` after it.
void append_log(std::string& out, const LogRecord& record, std::string_view allocation, std::string_view task,
                std::string_view trial) {
  const std::string time = format_rfc3339_micros(record.time);
  out += R"({"result":{)";
  append_set_field(out, R"("agentId":)", record.agent_id);
  append_set_field(out, R"("allocationId":)", allocation);
  append_set_field(out, R"("containerId":)", record.container_id);
  append_field(out, R"("id":)", std::to_string(record.id));
  append_field(out, R"("level":)", to_string(record.level));
  append_field(out, R"("log":)", record.log);
  append_field(out, R"("message":)", message_of(record, time));
  if (record.rank) out.append(R"("rankId":)").append(std::to_string(*record.rank)).append(",");
  append_set_field(out, R"("source":)", record.source);
  append_set_field(out, R"("stdtype":)", record.stdtype);
  out.append(task).append(R"("timestamp":")").append(time).append(R"(")").append(trial).append("}}\n");
}

}  // namespace

std::string composed_message(const LogRecord& record) {
  return message_of(record, format_rfc3339_micros(record.time));
}

void append_trial_log(std::string& out, const LogRecord& record, model::TrialId trial) {
  append_log(out, record, {}, {}, R"(,"trialId":)" + std::to_string(trial.value));
}

void append_task_log(std::string& out, const LogRecord& record, std::string_view task_id) {
  std::string task;
  append_field(task, R"("taskId":)", task_id);
  append_log(out, record, record.allocation_id, task, {});
}

std::string frame(const Json& message) {
  return "{\"result\":" + dump(message) + "}\n";
}

}  // namespace det::wire
