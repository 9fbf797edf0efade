import type { ChildProcess } from "node:child_process";
import { readlinkSync } from "node:fs";
import type { Socket } from "node:net";
import { attempt } from "../attempt.ts";
import { findHostProgram } from "../programs/host-program.ts";
import { runProgram, startProgram } from "../programs/start-program.ts";

/** An idle helper ends after this time, in milliseconds. */
const IDLE_MS = 10_000;
/** A request fails after this time, in milliseconds: the file system may hang. */
const DEADLINE_MS = 5_000;
const MAX_FAILURES = 3;

/** Numbers of `listxattr` and `getxattr` on Linux. */
const SYSTEM_CALLS: Readonly<Record<string, readonly [number, number]>> = {
  x64: [194, 191],
  arm64: [11, 8],
};

/**
 * Compares the extended attributes of two files. `access`: only the access lists are equal. `different`: the access lists differ.
 */
export type Comparison = "same" | "access" | "different";

/**
 * Reads lines `FILE [FILE]` and answers each with a {@link Comparison} or `unknown`. It skips attributes of the content: capabilities,
 * which end with any write, and checksums. 95 is ENOTSUP and 61 is ENODATA.
 */
const HELPER = `$|=1; my($list,$get)=map{$_+0}@ARGV;
sub attributes { my $file=shift; my $n=syscall($list,$file,0,0); my %all;
  if($n<0){ return $!+0==95 ? \\%all : undef } return \\%all unless $n;
  my $names="\\0"x65536; $n=syscall($list,$file,$names,65536); return undef if $n<0;
  for my $name (split /\\0/, substr($names,0,$n)) { next if $name=~/^security\\.(capability|ima|evm)$/;
    my $value="\\0"x65536; my $m=syscall($get,$file,$name,$value,65536);
    if($m<0){ next if $!+0==61; return undef } $all{$name}=substr($value,0,$m) } return \\%all }
sub text { my($all,$kind)=@_; join "", map { pack("N/a* N/a*",$_,$all->{$_}) } sort grep { $_=~$kind } keys %$all }
while(<STDIN>){ my @files=split; my($one,$other)=map{attributes($_)}@files; $other={} if @files<2;
  print !$one||!$other ? "unknown" : text($one,qr/^system/) ne text($other,qr/^system/) ? "different" :
    text($one,qr/./) eq text($other,qr/./) ? "same" : "access", "\\n" }`;

type Answer = (comparison: Comparison | undefined) => void;

interface Helper {
  child: ChildProcess;
  waiting: Answer[];
  idle: NodeJS.Timeout | undefined;
}

let helper: Helper | undefined;
let failures = 0;

/**
 * Compares the extended attributes of two open files, access lists included. Node has no call for them, and new processes would block the
 * event loop, so one Perl process answers all requests.
 *
 * @param other Default: a file without attributes.
 * @returns `undefined` without an answer: Perl is missing, or the file system takes longer than 5 seconds
 * @example
 * ```ts
 * import { open } from "node:fs/promises";
 * import { compareAttributes } from "@haft/system";
 * const [before, after] = [await open("notes.md"), await open("notes.md.new")];
 * if ((await compareAttributes(before.fd, after.fd)) !== "same") console.warn("The access lists differ.");
 * ```
 */
export async function compareAttributes(one: number, other?: number): Promise<Comparison | undefined> {
  const running = (helper ??= startHelper());
  const pid = attempt(() => readlinkSync("/proc/self"));
  if (running === undefined || pid === undefined) return undefined;
  clearTimeout(running.idle);
  return new Promise((resolve) => {
    const deadline = setTimeout(() => endHelper(running), DEADLINE_MS);
    running.waiting.push((comparison) => {
      clearTimeout(deadline);
      resolve(comparison);
    });
    hold(running.child, true);
    const files = other === undefined ? [one] : [one, other];
    running.child.stdin?.write(`${files.map((fd) => `/proc/${pid}/fd/${fd}`).join(" ")}\n`);
  });
}

function startHelper(): Helper | undefined {
  const numbers = process.platform === "linux" ? SYSTEM_CALLS[process.arch] : undefined;
  if (numbers === undefined || failures >= MAX_FAILURES) return undefined;
  const child = attempt(() => {
    const { program } = findHostProgram("perl");
    if (program === undefined) return undefined;
    const args = ["-e", HELPER, ...numbers.map(String)];
    return startProgram(program, args, { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"] });
  });
  if (child === undefined) {
    failures = MAX_FAILURES;
    return undefined;
  }
  const started: Helper = { child, waiting: [], idle: undefined };
  let text = "";
  child.stdout?.setEncoding("latin1").on("data", (part: string) => {
    const lines = (text + part).split("\n");
    text = lines.pop() ?? "";
    failures = 0;
    for (const line of lines) answer(started, line);
  });
  child.stdin?.on("error", () => endHelper(started));
  child.once("error", () => endHelper(started));
  child.once("exit", () => endHelper(started));
  return started;
}

function answer(from: Helper, line: string): void {
  const isComparison = line === "same" || line === "access" || line === "different";
  from.waiting.shift()?.(isComparison ? line : undefined);
  if (from.waiting.length > 0) return;
  hold(from.child, false);
  clearTimeout(from.idle);
  from.idle = setTimeout(() => endHelper(from), IDLE_MS).unref();
}

/** An unused helper must not keep this program running. */
function hold(child: ChildProcess, needed: boolean): void {
  const change = needed ? "ref" : "unref";
  child[change]();
  (child.stdin as Socket | null)?.[change]();
  (child.stdout as Socket | null)?.[change]();
}

function endHelper(ended: Helper): void {
  if (helper === ended) helper = undefined;
  if (ended.waiting.length > 0) failures += 1;
  clearTimeout(ended.idle);
  ended.child.stdin?.destroy();
  ended.child.kill("SIGKILL");
  for (const fail of ended.waiting.splice(0)) fail(undefined);
}

/**
 * Copies extended attributes, access lists and mode between open files, on Linux, if they differ.
 *
 * @returns the new comparison; `undefined` without an answer; `same` outside of Linux
 * @example
 * ```ts
 * import { open } from "node:fs/promises";
 * import { copyAttributes } from "@haft/system";
 * const [from, to] = [await open("notes.md"), await open("notes.md.new", "wx")];
 * const comparison = await copyAttributes(from.fd, to.fd);
 * ```
 */
export async function copyAttributes(from: number, to: number): Promise<Comparison | undefined> {
  if (process.platform !== "linux" || (await compareAttributes(from, to)) === "same") return "same";
  const isCopied = await runCopy(from, to);
  return (await compareAttributes(from, to)) ?? (isCopied ? "same" : undefined);
}

/** GNU `cp` fails unless it copies everything. */
async function runCopy(from: number, to: number): Promise<boolean> {
  const program = attempt(() => findHostProgram("cp").program);
  const pid = attempt(() => readlinkSync("/proc/self"));
  if (program === undefined || pid === undefined) return false;
  const files = [from, to].map((fd) => `/proc/${pid}/fd/${fd}`);
  const args = ["--attributes-only", "--preserve=mode,xattr", "--", ...files];
  try {
    const { failure } = await runProgram(program, args, { env: {}, timeout: DEADLINE_MS });
    return failure === undefined;
  } catch {
    return false; // The program was replaced since this host found it.
  }
}
