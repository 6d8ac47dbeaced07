#include "wire/log_record.h"

namespace det::wire {

namespace {

constexpr std::size_t kShortId = 8;

Json common_fields(const LogRecord& record) {
  Json out = {{"id", std::to_string(record.id)},
              {"timestamp", time(record.time)},
              {"message", composed_message(record)},
              {"log", record.log},
              {"level", to_string(record.level)}};
  const auto put_text = [&out](const char* name, const std::string& text) {
    if (!text.empty()) out[name] = text;
  };
  put_text("agentId", record.agent_id);
  put_text("containerId", record.container_id);
  put_text("source", record.source);
  put_text("stdtype", record.stdtype);
  put_if(out, "rankId", record.rank);
  return out;
}

}  // namespace

std::string composed_message(const LogRecord& record) {
  std::string container = record.container_id.substr(0, kShortId);
  container.resize(kShortId, ' ');
  std::string out = "[" + format_rfc3339_micros(record.time) + "] " + container;
  if (record.rank) out += " [rank=" + std::to_string(*record.rank) + "]";
  out += " ||";
  if (record.level != LogLevel::kUnspecified) out += " " + std::string(short_name(record.level)) + ":";
  return out + " " + record.log;
}

Json trial_log(const LogRecord& record, model::TrialId trial) {
  Json out = common_fields(record);
  out["trialId"] = trial.value;
  return out;
}

Json task_log(const LogRecord& record, const std::string& task_id) {
  Json out = common_fields(record);
  out["taskId"] = task_id;
  if (!record.allocation_id.empty()) out["allocationId"] = record.allocation_id;
  return out;
}

std::string frame(const Json& message) {
  return "{\"result\":" + dump(message) + "}\n";
}

}  // namespace det::wire
