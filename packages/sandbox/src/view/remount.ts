import { getErrorMessage } from "@haft/core";
import { isWithin, safePath, startProgram, requireUnchangedProgram } from "@haft/system";
import { once } from "node:events";
import { constants } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { containmentBrokenError } from "../errors.ts";
import { hostMountTable, type MountEntry } from "../mounts/mount-table.ts";
import { pathToBytes, isUtf8Path } from "../mounts/raw-path.ts";
import { withCodedErrors } from "../programs/host-programs.ts";
import {
  EMPTY_FOLDER,
  getHiddenFileSource,
  getReplacementSource,
  getMountSource,
} from "./bubblewrap-arguments.ts";
import { hasAccess, findWritableMounts } from "./check-mount-rules.ts";
import type { MountRule } from "./mount-plan.ts";
import type { OpenView } from "./open-namespaces.ts";

export interface Remount {
  path: string;
  kind: MountRule["kind"];
  source?: string;
  flags?: readonly string[];
}

const LOCKED = new Set(["nosuid", "nodev", "noexec", "noatime", "nodiratime", "relatime"]);
const SCRIPT = `
mount=$1; shift
if [ "$1" = private ]; then "$mount" -n -c --make-rprivate / || exit; fi
shift
word() {
  case $1 in
    raw:*) word=$(printf '%bx' "\${1#raw:}"); word=\${word%x};;
    *) word=$1;;
  esac
}
while [ $# -gt 0 ]; do
  word "$1"; source=$word
  word "$2"; path=$word
  [ -z "$source" ] || "$mount" -n -c --rbind "$source" "$path" || echo "$path" >&2
  [ -z "$3" ] || "$mount" -n -c -o "remount,bind,$3" "$path" || echo "$path" >&2
  shift 3
done`;

/** Also for running processes. `makePrivate` excludes later mounts of the host. */
export async function mountInView(
  view: OpenView,
  mounts: readonly Remount[],
  makePrivate = false,
): Promise<void> {
  const { programs, users, namespace } = view;
  const words = mounts.flatMap(({ path, source = "", flags = [] }) => [
    asWord(source),
    asWord(path),
    flags.join(","),
  ]);
  const sh = withCodedErrors(() => requireUnchangedProgram(programs.sh));
  const enter = ["--user=/proc/self/fd/3", "--mount=/proc/self/fd/4", "--preserve-credentials"];
  const child = withCodedErrors(() =>
    startProgram(
      programs.nsenter,
      [
        ...enter,
        sh,
        "-c",
        SCRIPT,
        "haft-view",
        requireUnchangedProgram(programs.mount),
        makePrivate ? "private" : "",
        ...words,
      ],
      {
        env: { PATH: safePath() },
        cwd: "/",
        stdio: ["ignore", "ignore", "pipe", users.outer, namespace.file],
      },
    ),
  );
  let errors = "";
  (child.stderr as Readable).on("data", (bytes: Buffer) => (errors += bytes.toString()));
  const [code] = (await once(child, "close").catch((thrown: unknown) => [getErrorMessage(thrown)])) as [
    unknown,
  ];
  if (code !== 0)
    throw containmentBrokenError(`a protected path could not be mounted (${errors.trim() || String(code)})`);
}

/** Node's arguments must be UTF-8. */
function asWord(path: string): string {
  if (isUtf8Path(path)) return path;
  return `raw:${Array.from(pathToBytes(path), (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("")}`;
}

/** Includes mounts below, if the host can write them. */
export function planWritableRemounts(
  rules: readonly MountRule[],
  mounted: ReadonlyMap<string, MountEntry>,
): Remount[] {
  const kinds = new Map(rules.map(({ path, kind }) => [path, kind]));
  const onHost = new Map(hostMountTable().map((one) => [one.path, one]));
  return [...mounted.values()].flatMap(({ path, readOnly }) => {
    let nearest = path;
    while (nearest !== "/" && !kinds.has(nearest)) nearest = dirname(nearest);
    const kind = kinds.get(nearest);
    if (!readOnly || (kind !== "open" && kind !== "pinned")) return [];
    if (onHost.get(path)?.readOnly === true) return [];
    return [{ path, kind: "open" as const, flags: ["rw", ...lockedFlags(path, mounted.values())] }];
  });
}

/** Covers new mounts of the host, and mounts below folders that our user cannot enter. */
export function planReadOnlyRemounts(
  pid: number,
  rules: readonly MountRule[],
  mounted: ReadonlyMap<string, MountEntry>,
): Remount[] {
  const remounts = findWritableMounts(rules, mounted).map(({ path }): Remount => {
    const folder = closedAbove(pid, path);
    if (folder !== undefined) return { path: folder, kind: "hidden", source: EMPTY_FOLDER };
    return { path, kind: "held", flags: ["ro", ...lockedFlags(path, mounted.values())] };
  });
  // Such a bubblewrap contains nothing, which is an error.
  if (remounts.some(({ path }) => path === "/")) return [];
  return [...new Map(remounts.map((one) => [one.path, one])).values()];
}

function closedAbove(pid: number, path: string): string | undefined {
  const names = path.split("/").slice(1, -1);
  const folders = names.map((_, at) => `/${names.slice(0, at + 1).join("/")}`);
  return folders.find((folder) => !hasAccess(`/proc/${pid}/root${folder}`, constants.X_OK));
}

/** In one step, because a process may open the file at any moment. */
export function toRemount({ path, kind, folder, from }: MountRule, rules: readonly MountRule[]): Remount {
  if (kind === "hidden" && from !== undefined) return { path, kind, source: getReplacementSource(path) };
  if (kind === "hidden")
    return { path, kind, source: folder ? EMPTY_FOLDER : getHiddenFileSource(path, rules) };
  return { path, kind, source: kind === "held" ? getMountSource(path, rules) : path };
}

/** A namespace with fewer rights must repeat these. */
function lockedFlags(path: string, mounted: Iterable<MountEntry>): string[] {
  const around = [...mounted]
    .filter((one) => isWithin(path, one.path))
    .toSorted((one, other) => one.path.length - other.path.length)
    .at(-1);
  return (around?.options ?? []).filter((one) => LOCKED.has(one));
}
