import { RUNNER_FLAGS } from "@haft/workspace/internal/wire";
import type { SandboxSpec } from "../backend.ts";
import { quoteShellWord } from "../quote-shell-word.ts";

export interface RemoteStart {
  root: string;
  /** A remote Node; `undefined`: one on the PATH, else the shell; `false`: the shell. */
  node: string | false | undefined;
  shellBytes: number;
  bootstrap: string;
}

export interface Greeting {
  kind: "node" | "shell" | "no-root" | "no-node" | "setup-failed" | "no-folder";
  node: string;
  root: string;
}

const MARK = "haft-ssh-1";
const BLOCKS_PER_MB = 2048;

/** Runs in the remote `sh`: prints one line, then becomes the runner. */
const SCRIPT = [
  "r=$1 n=$2 f=$3 w=$4 s=$5 b=$6 z=$7",
  'say() { printf "%s %s %s %s\\n" haft-ssh-1 "$1" "$v" "$r"; }',
  "v=-",
  // CDPATH would make cd print.
  "unset CDPATH ENV",
  'if [ "$w" = none ]; then umask 077; r=$(mktemp -d "${TMPDIR:-/tmp}/haft-XXXXXX") || { say no-folder; exit 1; }; fi',
  'cd -- "$r" 2>/dev/null || { say no-root; exit 1; }',
  'r=$(pwd -P); p=""; if [ "$w" = none ]; then p=$r; fi',
  'clean() { if [ -n "$p" ]; then cd / && rm -rf -- "$p"; fi; }',
  'trap "clean; exit 1" HUP INT TERM',
  'ulimit -f "$f" 2>/dev/null',
  'if [ -n "$s" ]; then sh -c "$s" </dev/null >&2 || { clean; say setup-failed; exit 1; }; fi',
  'k=shell; if [ -n "$n" ]; then v=$("$n" --version 2>/dev/null </dev/null); case $v in v2[0-9].*|v[3-9][0-9].*) k=node;; *) v=-;; esac; fi',
  'if [ "$k$8" = shellneeded ]; then clean; say no-node; exit 1; fi',
  'say "$k"',
  `if [ "$k" = node ]; then set -- "$n" ${RUNNER_FLAGS.join(" ")} -e "$b"; else set -- sh -c "eval \\"\\$(dd bs=1 count=$z 2>/dev/null)\\"" sh; fi`,
  'if [ -z "$p" ]; then exec "$@"; fi',
  '"$@"; clean',
].join("; ");

export function remoteCommand({ root, node, shellBytes, bootstrap }: RemoteStart, spec: SandboxSpec): string {
  const fileBlocks = Math.max(1, Math.floor(spec.limits.fileMb * BLOCKS_PER_MB));
  const argv = [
    root,
    node === false ? "" : (node ?? "node"),
    String(fileBlocks),
    spec.workspace,
    spec.setup ?? "",
    bootstrap,
    String(shellBytes),
    typeof node === "string" ? "needed" : "",
  ];
  return ["exec", "sh", "-c", ...[SCRIPT, "sh", ...argv].map(quoteShellWord)].join(" ");
}

/** Returns `undefined` for output of the login shell. */
export function readGreeting(line: string): Greeting | undefined {
  const found = new RegExp(`^${MARK} ([a-z-]+) (\\S+) (.*)$`).exec(line);
  if (found === null) return undefined;
  const [, kind, node, root] = found as unknown as [string, Greeting["kind"], string, string];
  return { kind, node, root };
}
