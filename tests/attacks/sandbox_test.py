"""What a pod can do to the machine, to other pods and to its node: the attacker writes the pod, or runs inside it."""

import os
import pathlib
import textwrap
import unittest

from server import setup, wait_for

server = setup(globals(), slots=4)

PODS = "/api/v1/namespaces/default/pods"


def pod_object(name, script, container=None, **spec):
    return {"metadata": {"name": name, "namespace": "default"},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, **spec,
                     "containers": [{"name": "main", "image": "any", "command": ["/bin/sh", "-c", script],
                                     "resources": {"requests": {"cpu": "10m"}}, **(container or {})}]}}


def create(name, script, container=None, **spec):
    """What the API server answers to the pod."""
    return server.kube("POST", PODS, pod_object(name, script, container, **spec))


def pod(name):
    return server.kube("GET", f"{PODS}/{name}").json


def said(name):
    return server.kube("GET", f"{PODS}/{name}/log?container=main").text


def state_of(name):
    """Phase, and why it waits or failed."""
    status = pod(name).get("status", {})
    waiting = [c.get("state", {}).get("waiting", {}) for c in status.get("containerStatuses", [])]
    return status.get("phase"), " ".join([status.get("message", ""), *(f"{w.get('reason', '')} {w.get('message', '')}" for w in waiting)])


def run(name, script, container=None, **spec):
    """The output of a pod that must be taken, after it has ended."""
    made = create(name, textwrap.dedent(script), container, **spec)
    if made.status != 201:
        raise AssertionError(f"pod {name}: {made}")
    wait_for(lambda: f"pod {name} ended: {state_of(name)}", lambda: state_of(name)[0] in ("Succeeded", "Failed"))
    return said(name)


def start(name, script, container=None, **spec):
    made = create(name, script, container, **spec)
    if made.status != 201:
        raise AssertionError(f"pod {name}: {made}")
    wait_for(lambda: f"pod {name} runs: {state_of(name)}", lambda: state_of(name)[0] == "Running")


def command_line(path):
    """What /proc has there; nothing of a process that is gone."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def python(text):
    return "python3 - <<'END'\n" + textwrap.dedent(text) + "\nEND\n"


def host_path(path):
    return {"volumes": [{"name": "h", "hostPath": {"path": str(path)}}]}


MOUNTED = {"volumeMounts": [{"name": "h", "mountPath": "/h"}]}


class Names(unittest.TestCase):
    def refused(self, answer, field):
        self.assertEqual(answer.status, 422, answer)
        self.assertEqual(answer.json["reason"], "Invalid")
        self.assertIn(field, [cause["field"] for cause in answer.json["details"]["causes"]])

    def test_a_volume_whose_name_is_a_path_shows_nothing_of_the_host(self):
        """a620492: 201; the folder four levels above the pod's, on the host, was bound into the sandbox.
        now: 422, spec.volumes[0].name in Kubernetes' words."""
        self.refused(create("volume-name", "ls /v", {"volumeMounts": [{"name": "../../../..", "mountPath": "/v"}]},
                            volumes=[{"name": "../../../..", "emptyDir": {}}]), "spec.volumes[0].name")

    def test_a_container_whose_name_is_a_path_writes_nowhere_else(self):
        """a620492: 201; its log and scratch files were written outside the pod's folder.
        now: 422, spec.containers[0].name."""
        self.refused(create("container-name", "true", {"name": "../../../../container"}), "spec.containers[0].name")

    def test_a_config_map_whose_name_is_an_address_is_no_secret(self):
        """a620492: 201; the agent asked for .../configmaps/../secrets/NAME with its own rights and mounted what came.
        now: 422, spec.volumes[0].configMap.name."""
        self.refused(create("reference", "true", volumes=[{"name": "v", "configMap": {"name": "../secrets/any"}}]),
                     "spec.volumes[0].configMap.name")

    def test_a_sub_path_does_not_leave_its_volume(self):
        """a620492: 201, and a pod that waited for ever.
        now: 422, subPath must not contain '..'."""
        answer = create("sub-path", "true", {"volumeMounts": [{"name": "v", "mountPath": "/v", "subPath": "a/../../.."}]},
                        volumes=[{"name": "v", "emptyDir": {}}])
        self.refused(answer, "spec.containers[0].volumeMounts[0].subPath")
        self.assertIn("must not contain '..'", answer.text)

    def test_items_of_a_volume_do_not_leave_it(self):
        """a620492: 201, and a pod that waited for ever.
        now: 422, the item's path."""
        self.refused(create("item-path", "true", volumes=[{"name": "v", "configMap": {"name": "c", "items": [{"key": "k", "path": "../../x"}]}}]),
                     "spec.volumes[0].configMap.items[0].path")

    def test_labels_and_finalizers_are_names(self):
        """a620492: 422 for most; a finalizer was refused in other words than Kubernetes'.
        now: 422, with Kubernetes' words for prefix and name."""
        body = {"metadata": {"name": "x", "labels": {"../k": "v", "k": "../v"}, "finalizers": ["../f"]}}
        answer = server.kube("POST", "/api/v1/namespaces/default/configmaps", body)
        self.refused(answer, "metadata.labels")
        self.refused(answer, "metadata.finalizers")
        self.assertIn("prefix part a lowercase RFC 1123 subdomain", answer.text)


    def test_text_where_an_object_belongs_does_not_end_the_server(self):
        """a620492: a Secret whose `data` was text, or a Namespace with text for labels, ended the server for everybody.
        now: 422, as a real API server has it, and everything goes on."""
        secrets = PODS.replace("/pods", "/secrets")
        bad = {"metadata": {"name": "bad"}, "data": "x", "stringData": {"a": "b"}}
        self.refused(server.kube("POST", secrets, bad), "data")
        self.refused(server.kube("POST", secrets, {"metadata": {"name": "bad"}, "stringData": {"port": 5432}}), "stringData.port")
        self.refused(server.kube("POST", "/api/v1/namespaces", {"metadata": {"name": "bad", "labels": "x"}}), "metadata.labels")
        self.assertEqual(server.kube("POST", secrets, {"metadata": {"name": "good"}, "stringData": {"a": "b"}}).status, 201)


class Escapes(unittest.TestCase):
    def test_a_zero_byte_in_the_environment_is_no_option_of_the_sandbox(self):
        """a620492: what stood behind the byte was an option of bubblewrap: --ro-bind / /h showed the host's root to any user.
        now: the container does not start; CreateContainerConfigError names the zero byte."""
        value = "x\0--ro-bind\0/\0/h"
        self.assertEqual(create("zero-byte", f"ls {server.data}; ls /h", {"env": [{"name": "A", "value": value}]}).status, 201)
        wait_for(lambda: f"it is refused: {state_of('zero-byte')}", lambda: "zero byte" in state_of("zero-byte")[1])
        self.assertEqual(state_of("zero-byte")[0], "Pending")
        server.kube("DELETE", f"{PODS}/zero-byte")

    def test_variables_that_name_each_other_fill_no_memory(self):
        """a620492: values were put in without bound; a megabyte of "$(" held the server for seconds.
        now: CreateContainerConfigError once one is longer than Linux gives to a program."""
        env = [{"name": "A0", "value": "a" * 1000}, *({"name": f"A{i}", "value": f"$(A{i - 1})" * 100} for i in range(1, 9))]
        self.assertEqual(create("bomb", "env", {"env": env}).status, 201)
        wait_for(lambda: f"it is refused: {state_of('bomb')}", lambda: "env A2 has more than 131071 bytes" in state_of("bomb")[1])
        server.kube("DELETE", f"{PODS}/bomb")
        self.assertEqual(run("after", "echo $A", {"env": [{"name": "A", "value": "$(" * 20_000}]}).strip(), "$(" * 20_000)

    def test_folders_in_folders_are_removed_with_their_pod(self):
        """a620492: the removal held a descriptor for each level, took the server's, failed, and left disk and memory for good.
        now: sixteen at most, and nothing stays, in the pod's folder or its memory."""
        text = run("deep", python("""
            import os
            for place in ("/tmp", "/dev/shm"):
                os.chdir(place)
                for _ in range(20000):
                    os.mkdir("a")
                    os.chdir("a")
            print("made")
            """))
        self.assertEqual(text.strip(), "made")
        uid = pod("deep")["metadata"]["uid"]
        places = [server.data / "agent" / "pods" / uid, *pathlib.Path("/dev/shm").glob(f"*/{uid}")]
        server.kube("DELETE", f"{PODS}/deep")
        wait_for("its folders are gone", lambda: not any(place.exists() for place in places))
        self.assertEqual(run("next", "echo well").strip(), "well")

    def test_a_symlink_in_a_volume_leads_no_sub_path_out(self):
        """a620492: refused, unless the link was put there between the agent's look and bubblewrap's.
        now: refused at the moment of the bind: what is bound is what was opened, without following links."""
        init = [{"name": "first", "image": "any", "command": ["/bin/sh", "-c", f"ln -s {server.data} /v/x"],
                 "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]
        create("linked", "ls /d", {"volumeMounts": [{"name": "v", "mountPath": "/d", "subPath": "x"}]}, initContainers=init,
               volumes=[{"name": "v", "emptyDir": {}}])
        wait_for(lambda: f"it is refused: {state_of('linked')}", lambda: "cannot be mounted" in state_of("linked")[1])
        server.kube("DELETE", f"{PODS}/linked")

    def test_the_data_folder_cannot_be_mounted(self):
        """a620492: it could; five of its files were hidden, and others (ports, logs) were there to read and to write.
        now: the pod waits: the folder is kept from all pods. checkpoints/ alone can be mounted."""
        for number, path in enumerate([server.data, server.data / "agent", server.data / "postgres", server.data / "kubeconfig"]):
            create(f"data-{number}", "ls /h", MOUNTED, **host_path(path))
        for number in range(4):
            wait_for(lambda: f"it is refused: {state_of(f'data-{number}')}", lambda: "is kept from all pods" in state_of(f"data-{number}")[1])
            server.kube("DELETE", f"{PODS}/data-{number}")
        (server.data / "checkpoints").mkdir(exist_ok=True)
        self.assertIn("mounted", run("data-open", "touch /h/mounted; ls /h", MOUNTED, **host_path(server.data / "checkpoints")))

    def test_a_kubeconfig_that_is_written_anew_does_not_show_through(self):
        """a620492: each secret file was covered by a mount, which the kernel drops when the file is replaced, as every start does.
        now: the folder as a whole is covered; a pod that has mounted its parent sees an empty one."""
        start("parent", f"sleep 2; until [ -e /h/go ]; do sleep 0.2; done; ls -A /h/data; cat /h/data/kubeconfig; echo end", MOUNTED,
              **host_path(server.folder))
        kubeconfig = server.data / "kubeconfig"
        copy = server.data / "kubeconfig.copy"
        copy.write_bytes(kubeconfig.read_bytes())
        copy.chmod(0o600)
        copy.rename(kubeconfig)
        (server.folder / "go").touch()
        wait_for("the pod has ended", lambda: state_of("parent")[0] in ("Succeeded", "Failed"))
        text = said("parent")
        self.assertIn("end", text)
        self.assertNotIn("clusters", text)
        self.assertNotIn("kubeconfig\n", text.replace("cat: ", ""))

    def test_the_starters_tokens_cannot_be_mounted(self):
        """a620492: a hostPath below the home folder was the user's own wish, auth.json with it.
        now: the folder of both command lines' tokens is kept from all pods."""
        create("tokens", "cat /h/auth.json", MOUNTED, **host_path(server.folder / "config"))
        wait_for(lambda: f"it is refused: {state_of('tokens')}", lambda: "is kept from all pods" in state_of("tokens")[1])
        server.kube("DELETE", f"{PODS}/tokens")

    def test_the_database_cannot_be_reached_from_a_pod(self):
        """a620492: no such file.
        now: no such file."""
        text = run("database", python(f"""
            import socket
            for place in ("{server.data}/postgres/.s.PGSQL.5432", "/var/run/postgresql/.s.PGSQL.5432", "/tmp/.s.PGSQL.5432"):
                try:
                    socket.socket(socket.AF_UNIX).connect(place)
                    print("connected to", place)
                except OSError as error:
                    print(error.strerror)
            """))
        self.assertNotIn("connected", text)
        self.assertEqual(text.count("No such file"), 3, text)


class Neighbours(unittest.TestCase):
    def test_pods_do_not_see_each_others_memory(self):
        """a620492: a hostPath of /dev/shm, which the default policy allows, showed the memory volumes of all pods.
        now: it is memory of the pod's own; below it nothing can be mounted."""
        start("remembers", "echo secret > /m/mine; echo written; sleep 300", {"volumeMounts": [{"name": "m", "mountPath": "/m"}]},
              volumes=[{"name": "m", "emptyDir": {"medium": "Memory"}}])
        wait_for("it has written", lambda: "written" in said("remembers"))
        text = run("looks", "ls -RA /h /dev/shm; cat /h/*/*/*/mine /h/det-node-agent*; touch /h/mine && echo writable", MOUNTED, **host_path("/dev/shm"))
        self.assertNotIn("secret", text)
        self.assertNotIn("det-node-agent-", text.replace("/h/det-node-agent*", ""))
        self.assertIn("writable", text)
        below = next(pathlib.Path("/dev/shm").glob("det-node-agent-*"))
        create("looks-below", "ls /h", MOUNTED, **host_path(below))
        wait_for(lambda: f"it is refused: {state_of('looks-below')}", lambda: "kernel file system" in state_of("looks-below")[1])
        for name in ("remembers", "looks-below"):
            server.kube("DELETE", f"{PODS}/{name}")

    def test_pods_do_not_see_each_others_processes(self):
        """a620492: its own only.
        now: its own only; /proc/1/root is the sandbox's."""
        number = str(40_000_000 + os.getpid())
        works = lambda: any(f"sleep\0{number}\0".encode() == command_line(path) for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"))
        start("works", f"exec sleep {number}")
        wait_for("it works", works)
        text = run("spies", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ls -A /proc/1/root/ | tr '\\n' ' '; kill -9 -1")
        self.assertNotIn(number, text)
        self.assertNotIn("det-operator", text)
        self.assertTrue(works())
        server.kube("DELETE", f"{PODS}/works")


class Kernel(unittest.TestCase):
    def test_what_only_root_may_read_in_etc_is_not_there(self):
        """a620492: root's agent showed all of /etc but sixteen known places; any other file of mode 0600 could be read.
        now: a list of what programs read is shown, and of that nothing that not everybody may read."""
        places = ["/etc/det-attack-secret", "/etc/ssl/certs/det-attack-secret", "/etc/shadow", "/etc/gshadow"]
        if os.geteuid() != 0:
            self.skipTest("only root can put a file into /etc")
        for place in places[:2]:
            path = pathlib.Path(place)
            path.touch(0o600)
            self.addCleanup(path.unlink)
            path.write_text("root-only-secret")
        text = run("etc", f"cat {' '.join(places)}; ls /etc; getent passwd root; getent hosts localhost; ls /etc/ssl/certs | wc -l")
        self.assertNotIn("root-only-secret", text)
        self.assertNotIn("root:!", text)
        self.assertNotIn("root:*", text)
        self.assertIn("root:x:0:0", text)
        self.assertIn("localhost", text)
        self.assertNotIn("sudoers", text)

    def test_a_program_makes_no_user_namespace_and_gains_no_capability_by_one(self):
        """a620492: unshare -Ur gave it all capabilities of a namespace of its own, and with them mounts, nftables and eBPF code paths.
        now: EPERM, by clone and by unshare; clone3 is missing."""
        text = run("namespaces", "unshare -Ur sh -c 'mount -t tmpfs t /mnt && echo mounted'; unshare -n true && echo net; "
                                 "grep -E 'NoNewPrivs|CapEff|Seccomp:' /proc/self/status")
        self.assertNotIn("mounted", text)
        self.assertNotIn("net\n", text)
        for line in ("NoNewPrivs:\t1", "CapEff:\t0000000000000000", "Seccomp:\t2"):
            self.assertIn(line, text)

    @unittest.skipUnless(os.uname().machine == "x86_64", "not run: the numbers of system calls are those of x86_64")
    def test_the_kernels_keys_bpf_and_io_uring_are_out_of_reach(self):
        """a620492: add_key, userfaultfd, io_uring_setup and perf_event_open were answered by the kernel.
        now: EPERM, io_uring ENOSYS; /proc/keys and /proc/kcore show nothing."""
        text = run("calls", python("""
            import ctypes, errno, os
            libc = ctypes.CDLL(None, use_errno=True)
            for name, number in dict(add_key=248, keyctl=250, bpf=321, userfaultfd=323, perf=298, open_by_handle=304, mount=165, io_uring=425,
                                     kexec=246, setns=308, fsopen=430).items():
                ctypes.set_errno(0)
                libc.syscall(number, 0, 0, 0, 0, 0)
                print(name, errno.errorcode.get(ctypes.get_errno()))
            """) + "cat /proc/keys | wc -c; head -c 16 /proc/kcore | wc -c")
        expected = {line.split()[0]: line.split()[1] for line in text.splitlines() if line.count(" ") == 1}
        self.assertEqual(len(expected), 11, text)
        self.assertEqual(expected.pop("io_uring"), "ENOSYS")
        self.assertEqual(set(expected.values()), {"EPERM"}, text)
        self.assertEqual([line for line in text.splitlines() if line.isdigit()], ["0", "0"], text)

    def test_a_program_that_starts_threads_for_ever_is_stopped(self):
        """a620492: no limit: the machine's last process number was its.
        now: 4,096 processes and threads, or 512 for each CPU; then EAGAIN."""
        most = max(4096, 512 * os.cpu_count())
        text = run("threads", python(f"""
            import threading
            threading.stack_size(65536)
            stop = threading.Event()
            count = 0
            try:
                while count < {most} + 400:
                    threading.Thread(target=stop.wait, daemon=True).start()
                    count += 1
            except RuntimeError:
                print("refused")
            print("count", count, flush=True)
            import os
            os._exit(0)
            """))
        self.assertIn("refused", text)
        self.assertLessEqual(int(text.split()[-1]), most)

    def test_a_log_without_end_does_not_fill_the_disk(self):
        """a620492: every byte was kept until the pod was deleted.
        now: 10 MiB, and the 10 MiB before; the end is there, and can be followed."""
        text = run("talks", "yes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -c 40000000; echo the end")
        self.assertTrue(text.endswith("the end\n"), text[-200:])
        uid = pod("talks")["metadata"]["uid"]
        logs = list((server.data / "agent" / "pods" / uid).glob("containers/main/0/log*"))
        self.assertEqual(sorted(log.name for log in logs), ["log", "log.1"])
        self.assertLessEqual(sum(log.stat().st_size for log in logs), 21 << 20)

    def test_a_pod_goes_first_when_memory_is_short_and_leaves_no_core(self):
        """a620492: oom_score_adj 0, as PostgreSQL has; a crash started the host's crash handler with what the pod left it.
        now: oom_score_adj 1000; no core dumps."""
        text = run("memory", "cat /proc/self/oom_score_adj; grep 'core file' /proc/self/limits")
        self.assertEqual(text.split()[0], "1000")
        self.assertEqual(text.splitlines()[1].split()[4:6], ["1", "1"])

    def test_programs_that_compute_still_can(self):
        """a620492: they could.
        now: they can: threads, processes, shared memory, sockets, and the machine's names and certificates."""
        text = run("computes", python("""
            import multiprocessing as mp, multiprocessing.shared_memory as sm, os, socket, subprocess, threading, getpass, time
            def work(name):
                memory = sm.SharedMemory(name)
                memory.buf[0] = 7
                memory.close()
            if __name__ == "__main__":
                memory = sm.SharedMemory(create=True, size=1 << 20)
                process = mp.get_context("fork").Process(target=work, args=(memory.name,))
                process.start(); process.join()
                print("fork", memory.buf[0])
                memory.close(); memory.unlink()
                done = []
                threads = [threading.Thread(target=done.append, args=(1,)) for _ in range(20)]
                [t.start() for t in threads]; [t.join() for t in threads]
                a, b = socket.socketpair()
                print(len(done), subprocess.run(["true"]).returncode, getpass.getuser(), socket.gethostbyname("localhost"),
                      os.path.getsize("/etc/ssl/certs/ca-certificates.crt") > 0, time.localtime().tm_year > 2000)
            """))
        self.assertEqual(text.splitlines(), ["fork 7", "20 0 root 127.0.0.1 True True"])


if __name__ == "__main__":
    unittest.main()
