#include "scheduler/reason.h"

#include <nlohmann/json.hpp>

#include "base/quantity.h"

namespace det::scheduler {
namespace {

using nlohmann::json;

std::string count(std::int64_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string nodes(const WaitReason& reason, const char* singular, const char* plural) {
  return count(reason.nodes, "node", "nodes") + " " + (reason.nodes == 1 ? singular : plural);
}

// "memory" of "default-quota: requests.memory".
std::string_view resource_of(const std::string& quota_word) {
  const auto at = quota_word.rfind(' ');
  return at == std::string::npos ? std::string_view(quota_word) : std::string_view(quota_word).substr(at + 1);
}

bool is_amount(ReasonCode code) {
  return code == ReasonCode::kInsufficient || code == ReasonCode::kQuota;
}

std::string amount_text(const WaitReason& reason, std::int64_t milli) {
  return quantity_text(resource_of(reason.subject), milli);
}

// Where nothing but the size of the nodes is spoken of.
std::string size_text(const WaitReason& lack) {
  return nodes(lack, "is", "are") + " too small (" + amount_text(lack, lack.wanted) + " " + lack.subject + " wanted, " +
         amount_text(lack, lack.available) + " at most)";
}

std::string children(const WaitReason& reason) {
  const bool never = reason.code == ReasonCode::kNeverFits;
  std::string text;
  for (const WaitReason& child : reason.children) {
    const bool is_size = never && child.code == ReasonCode::kInsufficient;
    text += (text.empty() ? "" : ", ") + (is_size ? size_text(child) : sentence(child));
  }
  return text;
}

std::string with_children(std::string text, const WaitReason& reason) {
  const std::string more = children(reason);
  return more.empty() ? text : std::move(text) + ": " + more;
}

std::string plain_amount(const std::string& resource, std::int64_t milli) {
  const std::string amount = quantity_text(resource, milli);
  const char* plural = milli == 1000 ? "" : "s";
  if (resource == "cpu") return amount + " CPU" + plural;
  if (resource == "nvidia.com/gpu" || resource == "amd.com/gpu")
    return amount + " GPU" + plural + " (" + resource + ")";
  return amount + " " + resource;
}

// What one pod waits for, or, where it will not fit, why. Where every node lacks the same, that is all there is to say.
std::string lone_pod_text(const WaitReason& reason) {
  const bool is_plain = reason.children.size() == 1 && reason.children[0].code == ReasonCode::kInsufficient &&
                        reason.children[0].nodes == reason.nodes;
  const bool never = reason.code == ReasonCode::kNeverFits;
  if (!is_plain) {
    return with_children(never ? "no node has room for its pod, even if the cluster were empty"
                               : "waits for a free slot (0/" + std::to_string(reason.nodes) + " nodes have one)",
                         reason);
  }
  const WaitReason& lack = reason.children[0];
  if (never) {
    return "no node is large enough, even if the cluster were empty: needs " + plain_amount(lack.subject, lack.wanted) +
           " in one pod, at most " + quantity_text(lack.subject, lack.available) + " on one node";
  }
  std::string text = "waits for a free slot: needs " + plain_amount(lack.subject, lack.wanted);
  if (lack.available <= 0) return text + ", none is free";
  return text + ", at most " + quantity_text(lack.subject, lack.available) +
         (reason.nodes == 1 ? " is free" : " is free on one node");
}

}  // namespace

std::string_view to_string(ReasonCode code) {
  switch (code) {
    case ReasonCode::kDoesNotFit:
      return "GangDoesNotFit";
    case ReasonCode::kNeverFits:
      return "GangNeverFits";
    case ReasonCode::kNoNodes:
      return "NoNodes";
    case ReasonCode::kBehind:
      return "WaitsItsTurn";
    case ReasonCode::kQuotaExceeded:
      return "QuotaExceeded";
    case ReasonCode::kClaimMissing:
      return "ClaimMissing";
    case ReasonCode::kOtherUnbound:
      return "OtherGangUnbound";
    case ReasonCode::kNotTried:
      return "NotTriedYet";
    case ReasonCode::kBackingOff:
      return "BackingOff";
    case ReasonCode::kInsufficient:
      return "InsufficientResource";
    case ReasonCode::kRunsOut:
      return "ResourceRunsOut";
    case ReasonCode::kReserved:
      return "Reserved";
    case ReasonCode::kTaint:
      return "UntoleratedTaint";
    case ReasonCode::kUnschedulable:
      return "NodeUnschedulable";
    case ReasonCode::kNotReady:
      return "NodeNotReady";
    case ReasonCode::kSelector:
      return "NodeSelectorMismatch";
    case ReasonCode::kVolumeAffinity:
      return "VolumeElsewhere";
    case ReasonCode::kAntiAffinity:
      return "PodAntiAffinity";
    case ReasonCode::kQuota:
      return "Quota";
  }
  return "Unknown";
}

std::string sentence(const WaitReason& reason) {
  switch (reason.code) {
    case ReasonCode::kDoesNotFit:
      if (reason.wanted == 1) return lone_pod_text(reason);
      return with_children("its " + std::to_string(reason.wanted) + " pods have to start together and " +
                               std::to_string(reason.available) + " would find room now (0/" +
                               std::to_string(reason.nodes) + " nodes are available for all)",
                           reason);
    case ReasonCode::kNeverFits:
      if (reason.wanted == 1) return lone_pod_text(reason);
      return with_children("no room for its " + std::to_string(reason.wanted) +
                               " pods even if the cluster were empty (0/" + std::to_string(reason.nodes) +
                               " nodes are available for all)",
                           reason);
    case ReasonCode::kNoNodes:
      return "the cluster has no nodes";
    case ReasonCode::kBehind:
      return with_children("it would delay " + reason.subject + ", which came first", reason);
    case ReasonCode::kQuotaExceeded:
      return with_children("the namespace's quota has no room for its " + count(reason.wanted, "pod", "pods"), reason);
    case ReasonCode::kClaimMissing:
      return "persistentvolumeclaim \"" + reason.subject + "\" not found";
    case ReasonCode::kOtherUnbound:
      return "nodes cannot be read, so gangs are started one after another, and one is being started";
    case ReasonCode::kNotTried:
      return "many gangs are ahead of it";
    case ReasonCode::kBackingOff:
      return "it was withdrawn and is tried again soon: " + reason.subject;
    case ReasonCode::kInsufficient:
      return nodes(reason, "has", "have") + " too little " + reason.subject + " free (" +
             amount_text(reason, reason.wanted) + " wanted, " + amount_text(reason, reason.available) + " at most)";
    case ReasonCode::kRunsOut:
      return nodes(reason, "has", "have") + " room for " + std::to_string(reason.available) +
             " of them, then too little " + reason.subject;
    case ReasonCode::kReserved:
      return nodes(reason, "is", "are") + " kept for " + reason.subject + ", which came first";
    case ReasonCode::kTaint:
      return nodes(reason, "has", "have") + " the untolerated taint " + reason.subject;
    case ReasonCode::kUnschedulable:
      return nodes(reason, "is", "are") + " unschedulable";
    case ReasonCode::kNotReady:
      return nodes(reason, "is", "are") + " not ready";
    case ReasonCode::kSelector:
      // The end is what kube-scheduler says: people search for it.
      return nodes(reason, "does", "do") + " not match: node(s) didn't match Pod's node affinity/selector" +
             (reason.subject.empty() ? "" : " (" + reason.subject + ")");
    case ReasonCode::kVolumeAffinity:
      return nodes(reason, "does", "do") + " not reach the volume of claim " + reason.subject;
    case ReasonCode::kAntiAffinity:
      if (!reason.subject.empty()) {
        return nodes(reason, "takes", "take") + " one of its pods each: they keep apart by " + reason.subject;
      }
      return nodes(reason, "is", "are") + " excluded by pod anti-affinity";
    case ReasonCode::kQuota:
      return "quota " + reason.subject + " has " + amount_text(reason, reason.available) + " left, " +
             amount_text(reason, reason.wanted) + " wanted";
  }
  return {};
}

json to_json(const WaitReason& reason) {
  json out = {{"code", to_string(reason.code)}, {"message", sentence(reason)}};
  if (!reason.subject.empty()) out["subject"] = reason.subject;
  if (reason.nodes != 0) out["nodes"] = reason.nodes;
  if (reason.wanted != 0) {
    if (is_amount(reason.code)) {
      out["wanted"] = amount_text(reason, reason.wanted);
      out["available"] = amount_text(reason, reason.available);
    } else {
      out["wanted"] = reason.wanted;
      out["available"] = reason.available;
    }
  }
  for (const WaitReason& child : reason.children) out["children"].push_back(to_json(child));
  return out;
}

}  // namespace det::scheduler
