import { safePath, startProgram, requireUnchangedProgram } from "@haft/system";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { explainFailure } from "../bubblewrap/explain-failure.ts";
import { containmentError } from "../errors.ts";
import type { ViewPrograms } from "./view-spec.ts";

/** Open files, which keep the namespaces alive. */
export interface UserNamespaces {
  /** Owns a view: its root, our user, may mount there. */
  outer: number;
  /** For commands: the same users as on the host, without rights over the view. */
  inner: number;
}

let made: Promise<UserNamespaces> | undefined;

/** One pair for all views, until this process ends. */
export function userNamespaces(programs: ViewPrograms): Promise<UserNamespaces> {
  if (made === undefined) {
    made = make(programs);
    made.catch(() => (made = undefined));
  }
  return made;
}

/** Lines of `inside outside count`. Only root can map more than one user. */
function maps(): { outer: readonly [string, string]; inner: readonly [string, string] } {
  const [uid, gid] = [process.getuid!(), process.getgid!()];
  if (uid !== 0) return { outer: [`0 ${uid} 1`, `0 ${gid} 1`], inner: [`${uid} 0 1`, `${gid} 0 1`] };
  const all = [sameAs("/proc/self/uid_map"), sameAs("/proc/self/gid_map")] as const;
  return { outer: all, inner: all };
}

/** In a container, only some ids are mapped. */
function sameAs(path: string): string {
  const lines = readFileSync(path, "latin1").matchAll(/^\s*(\d+)\s+\d+\s+(\d+)\s*$/gm);
  return Array.from(lines, ([, first, count]) => `${first} ${first} ${count}`).join("\n");
}

/** Runs as the outer root, because a creator cannot map users. */
const INNER = `
"$2" -U "$3" -c 'echo $$; read -r end' | {
  read -r pid && echo "$0" >"/proc/$pid/uid_map" && echo "$1" >"/proc/$pid/gid_map" && echo "$pid"
  read -r end
}`;

async function make({ bwrap, unshare, nsenter, sh }: ViewPrograms): Promise<UserNamespaces> {
  const { outer, inner } = maps();
  const options = { env: { PATH: safePath() }, cwd: "/" };
  const first = startProgram(unshare, ["-U", requireUnchangedProgram(sh), "-c", "echo $$; read -r end"], {
    ...options,
    stdio: "pipe",
  });
  const ended: ChildProcess[] = [first];
  const open: number[] = [];
  try {
    const outerPid = await numberFrom(first, bwrap.path);
    if (process.getuid!() !== 0) writeFileSync(`/proc/${outerPid}/setgroups`, "deny");
    writeFileSync(`/proc/${outerPid}/uid_map`, outer[0]);
    writeFileSync(`/proc/${outerPid}/gid_map`, outer[1]);
    const outerFile = openSync(`/proc/${outerPid}/ns/user`, "r");
    open.push(outerFile);
    const enter = [
      "--user=/proc/self/fd/3",
      "--preserve-credentials",
      requireUnchangedProgram(sh),
      "-c",
      INNER,
    ];
    const second = startProgram(
      nsenter,
      [...enter, ...inner, requireUnchangedProgram(unshare), requireUnchangedProgram(sh)],
      {
        ...options,
        stdio: ["pipe", "pipe", "pipe", outerFile],
      },
    );
    ended.push(second);
    const innerPid = await numberFrom(second, bwrap.path);
    return { outer: outerFile, inner: openSync(`/proc/${innerPid}/ns/user`, "r") };
  } catch (thrown) {
    for (const fd of open) closeSync(fd);
    if ((thrown as NodeJS.ErrnoException).syscall === undefined) throw thrown;
    throw explained((thrown as Error).message, bwrap.path);
  } finally {
    for (const one of ended) one.stdin?.end();
  }
}

async function numberFrom(child: ChildProcess, bwrap: string): Promise<number> {
  const { stdout, stderr } = child as ChildProcess & { stdout: Readable; stderr: Readable; stdin: Writable };
  let errors = "";
  stderr.on("data", (bytes: Buffer) => (errors += bytes.toString()));
  child.stdin?.on("error", () => {});
  const text = await Promise.race([
    once(stdout, "data").then(([bytes]) => String(bytes)),
    once(child, "close").then(() => ""),
    once(child, "error").then(([error]) => {
      errors += (error as Error).message;
      return "";
    }),
  ]);
  const number = Number(text.trim());
  if (!Number.isSafeInteger(number) || number <= 0) throw explained(errors, bwrap);
  return number;
}

function explained(stderr: string, bwrap: string): Error {
  const errors = stderr.trim() === "" ? "making a user namespace failed" : stderr;
  return explainFailure(
    { stderr: `${errors} (user namespace)`, exitCode: undefined, bwrap },
    undefined,
    containmentError,
  );
}
