import { attempt } from "@haft/system";
import type { RunnerNeeds } from "@haft/workspace/internal/wire";
import { closeSync, openSync, readFileSync, readlinkSync, readSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { containmentError } from "../errors.ts";
import type { PassedFiles } from "../launch/passed-files.ts";
import { pathFromBytes } from "../mounts/raw-path.ts";
import type { UserNamespaces } from "./user-namespaces.ts";
import type { ViewPrograms } from "./view-spec.ts";

const MAX_INFO = 4096;
const NAMESPACES = ["mnt", "pid", "user", "ipc"] as const;

export class StartInfo {
  readonly #file: number;

  constructor(folder: string) {
    const path = join(folder, `.info-${crypto.randomUUID()}`);
    this.#file = openSync(path, "wx+", 0o600);
    unlinkSync(path);
  }

  passTo(files: PassedFiles): number {
    return files.addFile(openSync(`/proc/self/fd/${this.#file}`, "r+"));
  }

  pid(): number | undefined {
    const bytes = Buffer.alloc(MAX_INFO);
    const text = bytes.subarray(0, readSync(this.#file, bytes, 0, MAX_INFO, 0)).toString();
    const info = attempt(() => JSON.parse(text) as { "child-pid"?: unknown } | null);
    const pid = info?.["child-pid"];
    return typeof pid === "number" && Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
  }

  close(): void {
    closeSync(this.#file);
  }
}

export class MountNamespace {
  readonly pid: number;
  readonly file: number;
  readonly #name: string;

  constructor(pid: number) {
    const path = `/proc/${pid}/ns/mnt`;
    this.pid = pid;
    this.#name = readlinkSync(path);
    this.file = openSync(path, "r");
  }

  /** False if another process has the pid. */
  exists(): boolean {
    return attempt(() => readlinkSync(`/proc/${this.pid}/ns/mnt`)) === this.#name;
  }

  /** `undefined` if the view has ended. */
  table(): string | undefined {
    return this.exists()
      ? attempt(() => pathFromBytes(readFileSync(`/proc/${this.pid}/mountinfo`)))
      : undefined;
  }

  close(): void {
    closeSync(this.file);
  }
}

export interface OpenView {
  namespace: MountNamespace;
  users: UserNamespaces;
  programs: ViewPrograms;
  needs: RunnerNeeds;
}

/** Throws for a bubblewrap that contains nothing. */
export function checkNamespaces(pid: number | undefined, network: "none" | "full"): number {
  if (pid === undefined) throw notContainedError("it does not name the process that it started");
  const names = network === "none" ? [...NAMESPACES, "net"] : NAMESPACES;
  for (const name of names) {
    const [other, ours] = [pid, "self"].map((one) => attempt(() => readlinkSync(`/proc/${one}/ns/${name}`)));
    if (other === undefined) throw notContainedError(`its ${name} namespace cannot be read`);
    if (other === ours) throw notContainedError(`its ${name} namespace is the host's`);
  }
  return pid;
}

export function notContainedError(why: string): Error {
  return containmentError(
    "SANDBOX_UNAVAILABLE",
    `bubblewrap started a process that is not contained: ${why}`,
    "Check the program bwrap (`bwrap --version`, `which bwrap`), and use that of the distribution.",
  );
}
