import { messageOf } from "@haft/core";
import { isWithin, safePath, startProgram, unchanged } from "@haft/workspace/internal/system";
import { once } from "node:events";
import { constants } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { containmentBroken } from "../errors.ts";
import { hostMountTable, type MountEntry } from "../mounts/mount-table.ts";
import { bytesOfPath, isUtf8Path } from "../mounts/raw-path.ts";
import { coded } from "../programs/host-programs.ts";
import { EMPTY_FOLDER, hiddenFileSource, shownSourceOf, mountSourceOf } from "./arguments.ts";
import { isAllowed, leftOpen } from "./check-walls.ts";
import type { OpenView } from "./open-namespaces.ts";
import type { Wall } from "./walls.ts";

/** A mount that is made later. */
export interface Remount {
  path: string;
  kind: Wall["kind"];
  /** Of the view, with the flags it is to have; none when only the flags of what is there change. */
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

/** Mounts in an open view, for running processes too. `makePrivate`: later mounts of the host stay out. */
export async function mountIn(
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
  const sh = coded(() => unchanged(programs.sh));
  const enter = ["--user=/proc/self/fd/3", "--mount=/proc/self/fd/4", "--preserve-credentials"];
  const child = coded(() =>
    startProgram(
      programs.nsenter,
      [
        ...enter,
        sh,
        "-c",
        SCRIPT,
        "haft-view",
        unchanged(programs.mount),
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
  let said = "";
  (child.stderr as Readable).on("data", (bytes: Buffer) => (said += bytes.toString()));
  const [code] = (await once(child, "close").catch((thrown: unknown) => [messageOf(thrown)])) as [unknown];
  if (code !== 0)
    throw containmentBroken(`what is to stay as it is could not be mounted (${said.trim() || String(code)})`);
}

/** Node gives programs only words that are UTF-8. */
function asWord(path: string): string {
  if (isUtf8Path(path)) return path;
  return `raw:${Array.from(bytesOfPath(path), (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("")}`;
}

/** What becomes writable once all is in place, with mounts in it, as far as the host can write them. */
export function opening(walls: readonly Wall[], mounted: ReadonlyMap<string, MountEntry>): Remount[] {
  const kinds = new Map(walls.map(({ path, kind }) => [path, kind]));
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

/** Closes what bubblewrap left open: what our user cannot enter, and what the host mounted meanwhile. */
export function closing(
  pid: number,
  walls: readonly Wall[],
  mounted: ReadonlyMap<string, MountEntry>,
): Remount[] {
  const remounts = leftOpen(walls, mounted).map(({ path }): Remount => {
    const folder = closedAbove(pid, path);
    if (folder !== undefined) return { path: folder, kind: "hidden", source: EMPTY_FOLDER };
    return { path, kind: "held", flags: ["ro", ...lockedFlags(path, mounted.values())] };
  });
  // Who leaves everything open contains nothing, and is told so.
  if (remounts.some(({ path }) => path === "/")) return [];
  return [...new Map(remounts.map((one) => [one.path, one])).values()];
}

/** The first folder on the way there that our user cannot enter: nothing can be done below it, and nothing can be seen. */
function closedAbove(pid: number, path: string): string | undefined {
  const names = path.split("/").slice(1, -1);
  const folders = names.map((_, at) => `/${names.slice(0, at + 1).join("/")}`);
  return folders.find((folder) => !isAllowed(`/proc/${pid}/root${folder}`, constants.X_OK));
}

/** A wall that is missing, put up: in one step, as a process may have the file open for writing at any moment. */
export function wallAgain({ path, kind, folder, from }: Wall, walls: readonly Wall[]): Remount {
  if (kind === "hidden" && from !== undefined) return { path, kind, source: shownSourceOf(path) };
  if (kind === "hidden") return { path, kind, source: folder ? EMPTY_FOLDER : hiddenFileSource(path, walls) };
  return { path, kind, source: kind === "held" ? mountSourceOf(path, walls) : path };
}

/** Flags of the mount a path is in that who has fewer rights may not take away: they have to be said again. */
function lockedFlags(path: string, mounted: Iterable<MountEntry>): string[] {
  const around = [...mounted]
    .filter((one) => isWithin(path, one.path))
    .toSorted((one, other) => one.path.length - other.path.length)
    .at(-1);
  return (around?.options ?? []).filter((one) => LOCKED.has(one));
}
