import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { pickShare } from "../../../../test/support/share.ts";
import type { HostProcesses } from "../../src/index.ts";
import { commandLine, readAll, run, session, until } from "./support.ts";

/** A shell that waits says so in its words; the folder tells whose it is. */
const WAITING = "IFS= read -r _l <&3 && exec";
/** They differ from one command to the next, in whatever shell. */
const VOLATILE =
  /^(?:declare -\S+ )?(?:BASHPID|EPOCHREALTIME|EPOCHSECONDS|RANDOM|SRANDOM|SECONDS|HAFT_\w+|_pid)=.*\n/gm;

/** What it prints shows how it was started. */
const SCRIPTS: readonly string[] = [
  "declare -p",
  "declare -px; env",
  "declare -F; alias; trap; trap -p; set +o; shopt -p; shopt -po; umask; ulimit -a; history; jobs; dirs; bind -p; complete",
  "set -x; echo a; (echo b); f() { echo c; }; f; eval 'echo d'",
  "PS4='[$LINENO ${FUNCNAME-} $BASH_SUBSHELL] '; set -x; echo $(echo deep)",
  'echo "$0|$-|$_|$#|$*|$LINENO|$SHLVL|$BASH|$BASH_SUBSHELL|$BASH_EXECUTION_STRING"',
  'echo "${#BASH_SOURCE[@]} ${#FUNCNAME[@]} ${#BASH_LINENO[@]} ${#BASH_ARGV[@]} ${BASH_ARGV0} $OPTIND ${PIPESTATUS[*]} $?"',
  'tr "\\0" "|" < /proc/$$/cmdline; cat /proc/$$/comm; readlink /proc/$$/exe; ls /proc/$$/fd; readlink /proc/$$/cwd /proc/$$/fd/0',
  "while read -r line; do case $line in Sig[BIC]*|NoNew*|Groups*|Uid*|Threads*) echo $line;; esac; done < /proc/$$/status",
  "ps -ww -o comm=,args= -p $$",
  "no-such-program-here; echo $?",
  "\n\nno-such-program-here\n\n(no-such-program-here)\n. ./gone\n",
  "echo one\n)\necho two",
  "cat << END\ntext $LINENO\nEND\nif",
  'echo "${GONE:?is not set}"; echo not reached',
  "set -u; echo $GONE; echo not reached",
  "set -e; caller; false; echo not reached",
  "f() { caller 0; echo ${BASH_SOURCE[*]} ${BASH_LINENO[*]}; }\nf",
  "trap 'echo left $LINENO' EXIT; trap 'echo failed $LINENO' ERR; false; exit 3",
  "kill -TERM $$",
  "exec -a renamed bash -c 'echo $0 $SHLVL'",
  "exec 3>&1; echo three >&3",
  "echo 'Á ÂÃÄÅÆÇÈ あいう … 漢字 \u{1f600} \u0081\u0088'; echo 'Á…' | od -c",
  "  printf '%s|' \\\\ '\\n' \"\t\" 'a\tb'  \\\n  c",
  "echo trailing\n\n\n",
  "echo 'back\\slash' \\",
  "echo a\r\n",
  "#only a comment",
  "   ",
  "\n",
  "cd /; pwd; echo $OLDPWD; cd - ; echo ${DIRSTACK[*]}",
  "type -a cd; hash; echo ~; echo !!",
  "exit 127",
];

const ENVIRONMENTS: readonly Readonly<Record<string, string>>[] = [
  {},
  { SHLVL: "7", OPTIND: "5", PS1: "mine", PS2: "mine", LINENO: "9", LANG: "C", _: "before", COLUMNS: "40" },
  { LC_ALL: "C.UTF-8", UID: "1", PPID: "3", BASH: "other", HISTSIZE: "3", RANDOM: "1", PIPESTATUS: "x" },
  { EMPTY: "", LINES: "\n\nb=c", BYTES: "Á…\u0081", MAILCHECK: "1", OPTERR: "0", HOSTNAME: "here" },
];

/** Programs that wait for a command of this session: this process has started them. */
const waiting = (root: string): number[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "utf8")
    .split(" ")
    .filter(Boolean)
    .map(Number)
    .filter((pid) => {
      try {
        return commandLine(pid).includes(WAITING) && realpathSync(`/proc/${pid}/cwd`) === root;
      } catch {
        return false;
      }
    });

const isDash = existsSync("/bin/sh") && basename(realpathSync("/bin/sh")) === "dash";
const hasBash = existsSync("/bin/bash");
const reason = isDash ? (hasBash ? "" : "no bash") : "no dash for sh";
if (reason !== "") {
  if (process.env["HAFT_REQUIRE_SERVICES"] === "1")
    throw new Error(`This must run here, but there is ${reason}.`);
  process.stderr.write(`There is ${reason} here: no bash is kept waiting, and nothing is compared.\n`);
}

test.runIf(reason === "").each(ENVIRONMENTS)(
  "a pooled bash behaves like a new bash, %j",
  { timeout: 300_000 },
  async (env) => {
    const shown = async (processes: HostProcesses, root: string, script: string) => {
      const info = await run(processes, { script, shell: "bash", env });
      const { exitCode, signal, command, pid } = info;
      // Their order is a matter of chance.
      const { stdout, stderr } = await readAll(processes, info.id);
      const plain = (bytes: Buffer) =>
        bytes
          .toString("latin1")
          .replaceAll(VOLATILE, "")
          .replaceAll(root, "ROOT")
          .replaceAll(new RegExp(`\\b${pid}\\b`, "g"), "PID");
      return { exitCode, signal, command, stdout: plain(stdout), stderr: plain(stderr), pid };
    };
    const [fresh, spare] = [false, true].map((spareShell) => session({ startedBy: "host", spareShell }));
    await shown(spare!.processes, spare!.root, "true");
    for (const script of pickShare(SCRIPTS, 4)) {
      let waited: number | undefined;
      await until("a shell waits", () => {
        const all = waiting(spare!.root);
        waited = all[0];
        return all.length === 1;
      });
      const { pid: ofSpare, ...got } = await shown(spare!.processes, spare!.root, script);
      expect(ofSpare).toBe(waited);
      const { pid: _, ...expected } = await shown(fresh!.processes, fresh!.root, script);
      expect({ script, ...got }).toEqual({ script, ...expected });
    }
  },
);
