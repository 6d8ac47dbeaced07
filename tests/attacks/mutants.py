"""Takes defences out and runs the rows that are about them: mutants.py [--keep]

Rows of weaknesses that a620492 had are shown to fail by running them on that commit's program (DET_OPERATOR_BIN). Those that it defended
already are shown here: a copy of the tree, in which each defence below is broken at once, is built, and every row that is named must fail.
Prints a line a row; a row that passes all the same has nothing to do with its defence, or has a second one."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# file, what is there, what stands there instead, the rows that must notice
MUTANTS = [
    ("api/authorize.cc", "  const bool is_session = caller.kind == TokenKind::kTaskSession;\n",
     "  if (policy.who != Who::kAnyone) co_return Status();\n  const bool is_session = caller.kind == TokenKind::kTaskSession;\n",
     ["identity_test.*.test_deleting_somebodys_experiment_is_refused", "identity_test.*.test_users_make_no_users_and_change_no_others",
      "identity_test.*.test_users_set_no_policies"]),
    ("api/route_table.cc", "return passage.entry.policy.who == Who::kAnyone;",
     "return passage.entry.policy.who == Who::kAnyone || !token_of(passage.request);",
     ["identity_test.*.test_nobody_without_a_token_reads_or_changes_anything", "framing_test.*.test_a_path_cannot_be_written_so_that_its_policy_is_missed"]),
    ("api/authenticator.cc", "if (!identity.user.active) co_return", "if (identity.user.username.empty()) co_return",
     ["identity_test.*.test_a_user_who_is_switched_off_is_out_at_once"]),
    ("store/trials/allocation_store.cc", "WHERE a.ended_at IS NULL \"\n    \"AND (a.token_hash", "WHERE true \"\n    \"AND (a.token_hash",
     ["identity_test.*.test_the_tokens_end_with_the_run"]),
    ("http/server.h", "std::size_t head_limit = std::size_t{64} << 10;", "std::size_t head_limit = std::size_t{1} << 20;",
     ["framing_test.*.test_a_head_without_end_is_refused"]),
    ("http/server.h", "header_timeout{15'000}", "header_timeout{90'000}", ["flood_test.*.test_a_head_that_drips_is_cut_off"]),
    ("http/refusals.cc", 'return "a Transfer-Encoding other than chunked"', "return nullptr", ["framing_test.*.test_a_transfer_encoding_that_is_not_chunked_is_refused"]),
    ("model/pod/pod_uses.cc", '{"seccompProfile", "appArmorProfile"}', '{"seccompProfile", "seccompProfile"}', ["pod_spec_test.*.test_apparmor_by_field"]),
    ("api/pages/docs_page.cc", "script-src 'self'; style-src", "script-src 'self' 'unsafe-inline'; style-src",
     ["docs_test.*.test_the_page_of_the_description_runs_nothing_but_its_own_script"]),
    ("local/agent/volumes.cc", "how.resolve = RESOLVE_NO_SYMLINKS;", "how.resolve = 0;", []),
    ("local/agent/volumes.cc", "flags | O_NOFOLLOW | O_CLOEXEC", "flags | O_CLOEXEC", ["sandbox_test.*.test_a_symlink_in_a_volume_leads_no_sub_path_out"]),
]


def run(*command, **options):
    return subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True, **options)


def break_defences(tree):
    for file, whole, broken, _ in MUTANTS:
        path = tree / file
        text = path.read_text()
        if text.count(whole) != 1:
            raise SystemExit(f"{file}: {whole!r} is there {text.count(whole)} times; the mutant needs to follow the code")
        path.write_text(text.replace(whole, broken))


def main():
    tree = pathlib.Path(tempfile.mkdtemp(prefix="det-mutants-", dir="/var/tmp"))
    try:
        run("git", "clone", "--quiet", ROOT, tree / "src")
        tree.chmod(0o755)
        break_defences(tree / "src")
        built = run("scripts/build.sh", cwd=tree / "src")
        if built.returncode:
            raise SystemExit(built.stdout[-4000:] + built.stderr[-2000:])
        survived = 0
        for *_, rows in MUTANTS:
            for row in rows:
                module, _, name = row.split(".")
                ran = run(sys.executable, "-m", "unittest", "-k", name, module, cwd=tree / "src" / "tests" / "attacks")
                noticed = re.search(rf"^FAIL: {name}\b", ran.stderr, re.M) is not None
                survived += not noticed
                print(f"{'noticed ' if noticed else 'SURVIVED'}  {name}", flush=True)
        raise SystemExit(1 if survived else 0)
    finally:
        if "--keep" not in sys.argv:
            shutil.rmtree(tree, ignore_errors=True)


if __name__ == "__main__":
    main()
