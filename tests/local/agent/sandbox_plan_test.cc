#include "local/agent/sandbox_plan.h"

#include <algorithm>

#include <gmock/gmock.h>

namespace det::local {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

HostLayout small_host() {
  return HostLayout{{"/usr", "/etc"}, {{"/bin", "usr/bin"}}, {{"/etc/shadow", false, false}, {"/root", true, false}}};
}

struct Fixture {
  PodView pod;
  ContainerView container;
  NodeFacts node;
  HostLayout host = small_host();
  EnvObjects objects;
  std::map<std::string, VolumeLocation> volumes;
  std::string image;
  std::vector<Gpu> gpus;

  Fixture() {
    pod.name = "trial-1";
    pod.host_name = "trial-1";
    container.name = "main";
    container.command = {"python3", "-c", "print('$(WHO)')"};
  }
  void mount(const std::string& volume, const std::string& path, const std::string& sub_path = {}) {
    VolumeMount mount;
    mount.volume = volume;
    mount.mount_path = path;
    mount.sub_path = sub_path;
    container.mounts.push_back(mount);
  }
  Result<SandboxPlan> plan() const {
    return plan_sandbox({pod, container, node, host, objects, volumes, image, "/state/c", gpus});
  }
};

std::string line(const SandboxPlan& plan) {
  std::string text;
  for (const std::string& word : plan.arguments) text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST(SandboxPlan, OfASmallPodIsTheGoldenOne) {
  Fixture f;
  const auto plan = f.plan();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(line(*plan),
            "--die-with-parent --as-pid-1 --new-session --unshare-user --unshare-pid --unshare-ipc --unshare-uts "
            "--hostname trial-1 --cap-drop ALL --uid 0 --gid 0 --tmpfs / --ro-bind /usr /usr --ro-bind /etc /etc "
            "--ro-bind /dev/null /etc/shadow --symlink usr/bin /bin --ro-bind /sys /sys --proc /proc "
            "--ro-bind /proc/sys /proc/sys --ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger --dev /dev "
            "--perms 1777 --tmpfs /dev/shm --tmpfs /run --dir /home --bind /state/c/tmp /tmp "
            "--bind /state/c/var-tmp /var/tmp --symlink /run /var/run --symlink /run/lock /var/lock "
            "--bind /state/c/home /root --bind /state/c/termination-log /dev/termination-log --chdir / --clearenv "
            "--setenv PATH /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --setenv HOME /root "
            "--setenv HOSTNAME trial-1");
  EXPECT_THAT(plan->overlays, IsEmpty());
  EXPECT_THAT(plan->entries, IsEmpty());
}

// bubblewrap would take what stands behind the byte for options: --bind / /mnt.
TEST(SandboxPlan, RefusesZeroBytesWhereverTheyStand) {
  Fixture value;
  EnvVar variable;
  variable.name = "A";
  variable.value = std::string("x\0--bind\0/\0/mnt", 16);
  value.container.env.push_back(variable);
  EXPECT_THAT(value.plan().error().message, HasSubstr("a zero byte stands in the environment"));
  Fixture word;
  word.container.command.emplace_back("a\0b", 3);
  EXPECT_FALSE(word.plan());
  Fixture path;
  path.volumes["v"] = {"/state/v"};
  path.mount("v", std::string("/v\0/", 4));
  EXPECT_FALSE(path.plan());
}

// Whoever shares the volume can put a symlink in its place before bubblewrap looks.
TEST(SandboxPlan, TakesSubPathsAndHostPathsFromWhereTheShimPutThem) {
  Fixture f;
  f.volumes["v"] = {"/state/v"};
  f.volumes["h"] = {"/data/sets"};
  f.volumes["h"].is_host = true;
  f.mount("v", "/v", "deep/x");
  f.mount("h", "/h", "y");
  const auto plan = f.plan();
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->staged,
              ElementsAre(StagedMount{"/state/v", "deep/x", "staged-0"}, StagedMount{"/", "data/sets/y", "staged-1"}));
  EXPECT_THAT(line(*plan), HasSubstr("--bind /state/c/mnt/staged-1 /h --bind /state/c/mnt/staged-0 /v"));
}

TEST(SandboxPlan, ShowsPartsOfEtcAndNothingElseOfIt) {
  Fixture f;
  f.host.folders = {"/usr"};
  f.host.parts = {"/etc/passwd", "/etc/ssl/certs"};
  f.host.masks = {{"/etc/ssl/certs/private.pem", false, false}};
  f.volumes["v"] = {"/state/v"};
  f.mount("v", "/etc/app");
  f.mount("v", "/etc/ssl/certs/ours");
  const auto plan = f.plan();
  ASSERT_TRUE(plan);
  EXPECT_THAT(line(*plan), HasSubstr("--ro-bind /etc/passwd /etc/passwd --bind "
                                     "/state/c/mnt/etc-ssl-certs/merged /etc/ssl/certs "
                                     "--ro-bind /dev/null /etc/ssl/certs/private.pem"));
  EXPECT_THAT(plan->overlays, ElementsAre(Overlay{"/etc/ssl/certs", "etc-ssl-certs", {"ours"}, {}}));
}

TEST(HostLayout, HidesWhatOnlyRootMayRead) {
  const HostLayout layout = read_host_layout({});
  EXPECT_THAT(layout.folders, Not(testing::Contains("/etc")));
  EXPECT_THAT(layout.parts, testing::Contains("/etc/passwd"));
  for (const char* secret : {"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private", "/etc/ssl"}) {
    EXPECT_THAT(layout.parts, Not(testing::Contains(secret)));
  }
  EXPECT_FALSE(check_host_path("/etc/shadow", layout));
}

TEST(CheckHostPath, LetsPodsIntoWhatAMaskLeavesOpen) {
  HostLayout host;
  host.masks = {{"/data", true, true, {"/data/checkpoints"}}};
  EXPECT_TRUE(check_host_path("/data/checkpoints/x", host));
  for (const char* path : {"/data", "/data/kubeconfig", "/data/checkpoints-not", "/dev/shm", "/dev/shm/x"}) {
    EXPECT_FALSE(check_host_path(path, host)) << path;
  }
}

// shm_size: only a file system of its own has a size.
TEST(SandboxPlan, GivesMemoryWithALimitToTheOnlyContainerThatHasIt) {
  Fixture f;
  f.volumes["shm"] = {.path = "/mem/shm", .memory_limit = 65536};
  f.mount("shm", "/dev/shm");
  f.pod.containers = {f.container};
  EXPECT_THAT(line(*f.plan()), HasSubstr("--perms 1777 --size 65536 --tmpfs /dev/shm --bind"))
      << "after the one without a limit";
  ContainerView sidecar = f.container;
  f.pod.containers.push_back(sidecar);
  EXPECT_THAT(line(*f.plan()), HasSubstr("--bind /mem/shm /dev/shm")) << "what they share is what a volume is for";
}

TEST(SandboxPlan, ShowsTheContainersOwnGpusAndNoOther) {
  Fixture f;
  EXPECT_THAT(line(*f.plan()), Not(HasSubstr("nvidia")));
  f.gpus = {{.uuid = "GPU-a", .model = "H100", .device = "/dev/nvidia2"},
            {.uuid = "GPU-b", .model = "H100", .device = "/dev/nvidia3"}};
  const auto plan = f.plan();
  ASSERT_TRUE(plan);
  EXPECT_THAT(line(*plan), HasSubstr("--dev /dev --perms 1777 --tmpfs /dev/shm --tmpfs /run --dir /home "
                                     "--dev-bind /dev/nvidia2 /dev/nvidia2 --dev-bind /dev/nvidia3 /dev/nvidia3 "
                                     "--dev-bind-try /dev/nvidiactl /dev/nvidiactl"));
  EXPECT_THAT(line(*plan), HasSubstr("--setenv CUDA_VISIBLE_DEVICES GPU-a,GPU-b"));
}

TEST(SandboxPlan, PutsAnOverlayOnlyWhereAMountPointLiesInAHostFolder) {
  Fixture f;
  f.volumes["v"] = {"/state/v", true, false, false, {"key"}};
  f.mount("v", "/etc/det/deep");
  f.mount("v", "/etc/det.conf", "key");
  f.mount("v", "/data/x");
  const auto plan = f.plan();
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->overlays, ElementsAre(Overlay{"/etc", "etc", {"det/deep"}, {"det.conf"}}));
  EXPECT_THAT(line(*plan), HasSubstr("--bind /state/c/mnt/etc/merged /etc --ro-bind /dev/null /etc/shadow"));
  EXPECT_THAT(line(*plan), HasSubstr("--ro-bind /state/c/mnt/staged-0 /etc/det.conf"));
  EXPECT_THAT(line(*plan), HasSubstr("--ro-bind /usr /usr"));
}

TEST(SandboxPlan, MakesNestedMountPointsInsideTheOuterVolume) {
  Fixture f;
  f.volumes["outer"] = {"/state/outer", true, false, {}};
  f.volumes["inner"] = {"/state/inner", false, false, {}};
  f.mount("inner", "/run/determined/workdir");
  f.mount("outer", "/run/determined");
  const auto plan = f.plan();
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->entries, ElementsAre(VolumeEntry{"/state/outer", "workdir", false}));
  const std::string text = line(*plan);
  EXPECT_LT(text.find("/state/outer /run/determined"), text.find("/state/inner /run/determined/workdir"));
}

TEST(SandboxPlan, FollowsSymlinksOfTheRoot) {
  Fixture f;
  f.volumes["token"] = {"/state/token", true, false, {}};
  f.mount("token", "/var/run/secrets/kubernetes.io/serviceaccount");
  f.mount("token", "/bin/tool");
  const auto plan = f.plan();
  ASSERT_TRUE(plan);
  EXPECT_THAT(line(*plan), HasSubstr("--ro-bind /state/token /run/secrets/kubernetes.io/serviceaccount"));
  EXPECT_THAT(line(*plan), HasSubstr("--ro-bind /state/token /usr/bin/tool"));
}

TEST(SandboxPlan, HidesMaskedPathsInsideAHostPath) {
  Fixture f;
  f.host.masks.push_back({"/data/det/agent", true, true});
  f.host.masks.push_back({"/data/det/kubeconfig", false, true});
  f.volumes["data"] = {"/data/det", false, false, {}};
  f.mount("data", "/mnt/data");
  const auto plan = f.plan();
  ASSERT_TRUE(plan);
  EXPECT_THAT(line(*plan), HasSubstr("--bind /data/det /mnt/data --tmpfs /mnt/data/agent --ro-bind /dev/null "
                                     "/mnt/data/kubeconfig"));
}

TEST(SandboxPlan, PutsTheImageFirstOnPath) {
  Fixture f;
  f.image = "/var/cache/venv";
  f.container.env.push_back({"WHO", "me", {}, {}, "1", {}, {}});
  const auto plan = f.plan();
  ASSERT_TRUE(plan);
  EXPECT_THAT(line(*plan), HasSubstr("--ro-bind /var/cache/venv /var/cache/venv"));
  EXPECT_THAT(line(*plan), HasSubstr("--setenv PATH /var/cache/venv/bin:/usr/local/sbin"));
  EXPECT_THAT(line(*plan), HasSubstr("--setenv VIRTUAL_ENV /var/cache/venv"));
  EXPECT_THAT(plan->command, ElementsAre("python3", "-c", "print('me')"));
}

TEST(SandboxPlan, RefusesASubPathThatClimbsOut) {
  Fixture f;
  f.volumes["v"] = {"/state/v", false, false, {}};
  f.mount("v", "/data", "a/../../b");
  const auto plan = f.plan();
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message, "subPath a/../../b leaves its volume");
}

TEST(SandboxPlan, RefusesTheRootAsMountPath) {
  Fixture f;
  f.volumes["v"] = {"/state/v", false, false, {}};
  f.mount("v", "//");
  EXPECT_FALSE(f.plan());
}

TEST(CheckHostPath, KeepsKernelFileSystemsAndTheAgentsStateAway) {
  HostLayout host = small_host();
  host.masks.push_back({"/state", true, true});
  for (const char* path : {"/", "/proc", "/proc/sys", "/dev/mem", "/dev/shm", "/sys/fs", "/state", "/state/pods"}) {
    EXPECT_FALSE(check_host_path(path, host)) << path;
  }
  for (const char* path : {"/data", "/root/project", "/statement"}) {
    EXPECT_TRUE(check_host_path(path, host)) << path;
  }
}

}  // namespace
}  // namespace det::local
