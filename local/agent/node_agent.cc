#include "local/agent/node_agent.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/async.h"
#include "base/encoding.h"
#include "base/log.h"
#include "http/server.h"
#include "k8sclient/event_recorder.h"
#include "local/agent/log_routes.h"
#include "local/agent/node_registration.h"
#include "local/agent/pod_keeper.h"
#include "local/agent/shim.h"
#include "local/self_signed_certificate.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;

// Two agents that share a state folder but not a Node would end each other's pods: the name goes in, too.
std::string short_hash(const NodeAgentOptions& options) {
  return sha256_hex(options.state_folder + "\n" + options.node).substr(0, 12);
}

NodeFacts facts_of(const NodeAgentOptions& options, const NodeShape& shape) {
  NodeFacts facts;
  facts.name = options.node;
  facts.address = options.address;
  facts.milli_cpu = shape.host_cpus * 1000;
  facts.memory = shape.memory_bytes;
  return facts;
}

NodeShape shape_of(const NodeAgentOptions& options) {
  NodeShape shape = read_node_shape(fs::path(options.state_folder).parent_path().string());
  shape.labels = options.labels;
  shape.slots = options.slots;
  return shape;
}

std::vector<Mask> masks_of(const NodeAgentOptions& options) {
  std::vector<Mask> masks{{options.state_folder, true, true}};
  for (const std::string& path : options.masks) masks.push_back({path, true, true, options.open_folders});
  return masks;
}

// Below /dev/shm everybody can make folders, also under the name that ours will have.
Status take_memory_folder(const std::string& path) {
  struct stat info{};
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(ErrorCode::kFailedPrecondition, "make " + path + " for memory volumes: " + std::strerror(errno));
  }
  if (::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid()) {
    ::chmod(path.c_str(), 0700);
    return {};
  }
  return fail(ErrorCode::kFailedPrecondition,
              path + " belongs to somebody else, who could read the memory volumes of pods: remove it");
}

// The folder of last time, or one that nobody else has taken: the name that ours has first can be foreseen.
Result<std::string> choose_memory_folder(const NodeAgentOptions& options) {
  const std::string first = "/dev/shm/det-node-agent-" + short_hash(options);
  const std::string note = options.state_folder + "/memory-folder";
  std::string path;
  if (std::ifstream kept(note); !std::getline(kept, path) || !path.starts_with(first)) path = first;
  Status taken = take_memory_folder(path);
  if (taken) return path;
  path = first + "-" + random_token(8);
  if (!take_memory_folder(path)) return std::unexpected(taken.error());
  DET_TRY(write_file_atomically(note, path + "\n", 0600));
  return path;
}

// "NVIDIA H100 80GB HBM3" -> "NVIDIA-H100-80GB-HBM3", as NVIDIA's own feature discovery labels nodes.
std::string label_of(const std::string& model) {
  std::string label;
  for (const char c : model) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    label.push_back(fits ? c : '-');
  }
  constexpr std::size_t kLongest = 63;
  label.resize(std::min(label.size(), kLongest));
  while (!label.empty() && std::isalnum(static_cast<unsigned char>(label.back())) == 0) label.pop_back();
  return label;
}

bool is_loopback(const std::string& address) {
  return address == "::1" || address.starts_with("127.");
}

bool is_on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "/usr/bin:/bin" : path;
  for (std::size_t start = 0; start <= rest.size();) {
    const auto end = std::min(rest.find(':', start), rest.size());
    if (::access((rest.substr(start, end - start) + "/" + program).c_str(), X_OK) == 0) return true;
    start = end + 1;
  }
  return false;
}

// As packages bring it for machines that have none.
std::string beside_own_program(const std::string& name) {
  std::error_code error;
  return (fs::read_symlink("/proc/self/exe", error).parent_path() / name).string();
}

}  // namespace

class NodeAgent::Impl {
 public:
  Impl(asio::any_io_executor executor, asio::thread_pool& pool, Clock& clock, k8s::Client& client,
       NodeAgentOptions options)
      : executor_(executor),
        pool_(pool),
        clock_(clock),
        client_(client),
        options_(std::move(options)),
        log_(Logger("node-agent").with({"node", options_.node})),
        tasks_(executor),
        events_(client, clock, executor, "node-agent"),
        api_(client, events_) {}

  ~Impl() {
    if (lock_ >= 0) ::close(lock_);
  }

  Task<Status> start() {
    if (Status ready = prepare_folder(); !ready) co_return ready;
    shape_ = shape_of(options_);
    facts_ = facts_of(options_, shape_);
    masks_ = masks_of(options_);
    images_ = Images{options_.images, options_.default_image, options_.has_default_image};
    cgroups_ = Cgroups::detect("/sys/fs/cgroup", "det-" + short_hash(options_) + "-");
    gpus_ = GpuLedger(options_.uses_gpus ? find_gpus("/proc/driver/nvidia") : std::vector<Gpu>(),
                      options_.state_folder + "/gpus");
    shape_.gpus = static_cast<int>(gpus_.all().size());
    if (shape_.gpus > 0) shape_.labels.emplace("nvidia.com/gpu.product", label_of(gpus_.all().front().model));
    services_ =
        std::make_unique<PodServices>(PodServices{executor_, pool_, looks_, clock_, api_, masks_, facts_, images_,
                                                  cgroups_, gpus_, options_.shim_command, options_.bwrap});
    auto memory_folder = choose_memory_folder(options_);
    DET_CO_TRY(memory_folder);
    memory_folder_ = std::move(*memory_folder);
    keeper_ = std::make_unique<PodKeeper>(*services_, client_, tasks_, options_.state_folder, memory_folder_);
    if (Status serving = serve_logs(); !serving) co_return serving;
    registration_ = std::make_unique<NodeRegistration>(client_, clock_, facts_, shape_);
    Status announced = co_await registration_->announce();
    if (!announced) {
      co_await server_->stop();
      server_.reset();
      co_return announced;
    }
    tasks_.spawn("node heartbeat", registration_->run());
    tasks_.spawn("events", events_.run());
    tasks_.spawn("pods", keeper_->run());
    log_.info("node agent started", {{"log_port", server_->port()}, {"state", options_.state_folder}});
    co_return Status();
  }

  Task<void> shut_down() {
    // A kubelet's words.
    if (keeper_) {
      co_await keeper_->stop_all("Terminated", "Pod was terminated in response to imminent node shutdown.",
                                 options_.spares_unstarted_pods);
    }
    if (registration_) {
      const Status retired = co_await registration_->retire();
      if (!retired) log_.warn("node could not be reported as stopped", {{"error", retired.error().message}});
    }
    co_await abandon();
    if (!memory_folder_.empty()) ::rmdir(memory_folder_.c_str());  // only when it is empty
  }

  Task<void> abandon() {
    tasks_.cancel();
    co_await tasks_.join();
    if (server_) co_await server_->stop();
    server_.reset();
  }

  [[nodiscard]] std::uint16_t log_port() const { return server_ ? server_->port() : 0; }

 private:
  Status prepare_folder() {
    const std::string& folder = options_.state_folder;
    std::error_code error;
    fs::create_directories(folder + "/pods", error);
    if (error) return fail(ErrorCode::kFailedPrecondition, "make the state folder " + folder + ": " + error.message());
    options_.state_folder = fs::canonical(folder, error).string();
    ::chmod(options_.state_folder.c_str(), 0700);
    if (const std::string own = beside_own_program(options_.bwrap); !is_on_path(options_.bwrap) && is_on_path(own)) {
      options_.bwrap = own;
    }
    if (!is_on_path(options_.bwrap)) {
      return fail(ErrorCode::kFailedPrecondition,
                  options_.bwrap + " was not found: install the package bubblewrap, which runs the sandboxes");
    }
    lock_ = ::open((options_.state_folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      return fail(ErrorCode::kFailedPrecondition,
                  "another node agent uses " + folder + ": give each its own --state-dir");
    }
    return {};
  }

  // What an API server must show who has no certificate; made at the first start.
  Result<std::string> log_token() const {
    if (!options_.client_ca_file.empty() || !options_.log_token.empty()) return options_.log_token;
    const std::string path = options_.state_folder + "/log-token";
    std::ifstream file(path);
    std::string token;
    if (file >> token) return token;
    constexpr std::size_t kTokenBytes = 32;
    token = random_token(kTokenBytes);
    DET_TRY(write_file_atomically(path, token, 0600));
    return token;
  }

  Status serve_logs() {
    if (!is_loopback(options_.address) && options_.client_ca_file.empty()) {
      return fail(
          ErrorCode::kFailedPrecondition,
          "--address " + options_.address +
              " lets other machines ask for the logs of pods: give --client-ca FILE, the CA of the API server's "
              "client certificate (kubeadm: /etc/kubernetes/pki/ca.crt), or stay on 127.0.0.1");
    }
    auto token = log_token();
    DET_TRY(token);
    auto files = make_self_signed_certificate(options_.state_folder, options_.address, options_.node);
    DET_TRY(files);
    auto find = [this](const std::string& ns, const std::string& pod, const std::string& container, bool previous) {
      return keeper_->find_log(ns, pod, container, previous);
    };
    add_log_routes(router_, find, std::move(*token), clock_, pool_);
    http::ServerOptions options;
    options.address = options_.address;
    options.port = options_.log_port;
    options.tls = {files->certificate, files->key, options_.client_ca_file};
    options.spool_directory = options_.state_folder;
    server_ = std::make_unique<http::Server>(executor_, options, router_);
    Status started = server_->start();
    if (!started) {
      server_.reset();
      return std::unexpected(with_context(started.error(), "serve container logs"));
    }
    shape_.log_port = server_->port();
    return {};
  }

  asio::any_io_executor executor_;
  asio::thread_pool& pool_;
  asio::thread_pool looks_{1};
  Clock& clock_;
  k8s::Client& client_;
  NodeAgentOptions options_;
  Logger log_;
  TaskGroup tasks_;
  k8s::EventRecorder events_;
  KubernetesPodApi api_;
  NodeShape shape_;
  NodeFacts facts_;
  std::vector<Mask> masks_;
  std::string memory_folder_;
  Images images_;
  Cgroups cgroups_;
  GpuLedger gpus_;
  http::Router router_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<PodServices> services_;
  std::unique_ptr<PodKeeper> keeper_;
  std::unique_ptr<NodeRegistration> registration_;
  int lock_ = -1;
};

NodeAgent::NodeAgent(asio::any_io_executor executor, asio::thread_pool& pool, Clock& clock, k8s::Client& client,
                     NodeAgentOptions options)
    : impl_(std::make_unique<Impl>(executor, pool, clock, client, std::move(options))) {}

NodeAgent::~NodeAgent() = default;

Task<Status> NodeAgent::start() {
  return impl_->start();
}

Task<void> NodeAgent::shut_down() {
  return impl_->shut_down();
}

Task<void> NodeAgent::abandon() {
  return impl_->abandon();
}

std::uint16_t NodeAgent::log_port() const {
  return impl_->log_port();
}

}  // namespace det::local
