#include "local/agent/seccomp_filter.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

namespace det::local {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "name this architecture here: a filter for another one would let everything pass"
#endif

// What needs a capability that no sandbox has is here as well: without user namespaces of its own a program could not
// gain one, and the code behind it stays out of reach.
constexpr std::array kForbidden{
    SYS_acct,
    SYS_add_key,
    SYS_bpf,
    SYS_chroot,
    SYS_clock_adjtime,
    SYS_clock_settime,
    SYS_delete_module,
    SYS_fanotify_init,
    SYS_finit_module,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fsopen,
    SYS_fspick,
    SYS_init_module,
    SYS_kexec_load,
    SYS_keyctl,
    SYS_lookup_dcookie,
    SYS_mount,
    SYS_mount_setattr,
    SYS_move_mount,
    SYS_name_to_handle_at,
    SYS_nfsservctl,
    SYS_open_by_handle_at,
    SYS_open_tree,
    SYS_perf_event_open,
    SYS_pivot_root,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_reboot,
    SYS_request_key,
    SYS_setdomainname,
    SYS_sethostname,
    SYS_setns,
    SYS_settimeofday,
    SYS_swapoff,
    SYS_swapon,
    SYS_syslog,
    SYS_umount2,
    SYS_unshare,
    SYS_userfaultfd,
    SYS_vhangup,
#if defined(__x86_64__)
    SYS__sysctl,
    SYS_create_module,
    SYS_get_kernel_syms,
    SYS_ioperm,
    SYS_iopl,
    SYS_kexec_file_load,
    SYS_modify_ldt,
    SYS_query_module,
    SYS_sysfs,
    SYS_uselib,
    SYS_ustat,
#endif
};

// Programs that find these missing take another way: glibc starts threads by clone, whose flags can be looked at.
constexpr std::array kMissing{SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register};

constexpr std::uint32_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::array<std::uint32_t, 5> kPersonalities{0x0, 0x8, 0x20000, 0x20008, 0xffffffff};

class Program {
 public:
  std::vector<sock_filter> take() { return std::move(code_); }

  void load(std::size_t offset) { put(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void load_number() { load(offsetof(seccomp_data, nr)); }
  // The lower half of an argument, which is all that the kernel reads of those looked at here.
  void load_argument(std::size_t index) { load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t)); }
  void give(std::uint32_t action) { put(BPF_RET | BPF_K, action); }
  void refuse(int number) { give(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(number)); }
  void refuse_if(std::uint32_t value, int number) {
    put(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    refuse(number);
  }
  // The next `length` instructions are for the system call `number` only.
  void only_for(long number, std::uint8_t length) {
    load_number();
    put(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, length);
  }
  void put(int code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
  }

 private:
  std::vector<sock_filter> code_;
};

}  // namespace

std::vector<sock_filter> sandbox_filter() {
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.put(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  program.give(SECCOMP_RET_KILL_PROCESS);
  program.load_number();
#if defined(__x86_64__)
  constexpr std::uint32_t kX32 = 0x40000000;  // the same calls again, under other numbers
  program.put(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
  program.refuse(ENOSYS);
#endif
  for (const long number : kForbidden) program.refuse_if(static_cast<std::uint32_t>(number), EPERM);
  for (const long number : kMissing) program.refuse_if(static_cast<std::uint32_t>(number), ENOSYS);
  program.only_for(SYS_clone, 3);
  program.load_argument(0);
  program.put(BPF_JMP | BPF_JSET | BPF_K, kNewNamespaces, 0, 1);
  program.refuse(EPERM);
  // Input for somebody else's terminal.
  program.only_for(SYS_ioctl, 5);
  program.load_argument(1);
  program.refuse_if(TIOCSTI, EPERM);
  program.refuse_if(TIOCLINUX, EPERM);
  program.only_for(SYS_socket, 5);
  program.load_argument(0);
  program.refuse_if(AF_ALG, EAFNOSUPPORT);
  program.refuse_if(AF_VSOCK, EAFNOSUPPORT);
  program.only_for(SYS_personality, kPersonalities.size() + 2);
  program.load_argument(0);
  for (std::size_t i = 0; i < kPersonalities.size(); ++i) {
    program.put(BPF_JMP | BPF_JEQ | BPF_K, kPersonalities[i], static_cast<std::uint8_t>(kPersonalities.size() - i), 0);
  }
  program.refuse(EPERM);
  program.give(SECCOMP_RET_ALLOW);
  return program.take();
}

}  // namespace det::local
