import { attempt, hostProgram, safePath, startProgram, requireUnchangedProgram } from "@haft/system";
import { once } from "node:events";
import { closeSync, constants, lstatSync, openSync, readlinkSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { bubblewrapError } from "../../errors.ts";
import { isCommonFolder } from "./repository.ts";

export interface ViewLink {
  path: string;
  link: string;
}

export interface EnteredView {
  pid: number;
  userNamespace?: number;
}

/** Stays valid if its pid is reused. */
export interface OpenedView extends EnteredView {
  name: string;
  mounts: number;
  processes: number;
}

export function openNamespaces(view: EnteredView): OpenedView {
  const [name, hostName] = [view.pid, "self"].map((one) =>
    attempt(() => readlinkSync(`/proc/${one}/ns/mnt`)),
  );
  if (name === undefined || name === hostName) throw notLinked("its mounts are those of the host");
  const opened = (kind: string) => openSync(`/proc/${view.pid}/ns/${kind}`, "r");
  return { ...view, name, mounts: opened("mnt"), processes: opened("pid") };
}

export function closeNamespaces({ mounts, processes }: OpenedView): void {
  for (const file of [mounts, processes]) closeSync(file);
}

/** Missing in Node; the same on all supported architectures. */
const O_PATH = 0o10000000;
/** Mounts an open file, because the system would follow a path. */
const MOUNT = `
mount=$1; shift; number=6
for path; do "$mount" -n -c --bind "/proc/self/fd/$number" "$path" || exit 1; number=$((number + 1)); done`;

/** The host may replace the file meanwhile. */
const TRIES = 8;

export async function ensureLinks(view: OpenedView, links: readonly ViewLink[]): Promise<"gone" | "linked"> {
  let failure: unknown;
  for (let tried = 0; tried < TRIES; tried++) {
    const off = links.filter(
      ({ path }) => lstatOf(`/proc/${view.pid}/root${path}`)?.isSymbolicLink() !== true,
    );
    if (off.length > 0 && attempt(() => readlinkSync(`/proc/${view.pid}/ns/mnt`)) !== view.name)
      return "gone";
    const missing = off.filter(({ path }) => lstatOf(path) !== undefined || isCommonFolder(dirname(path)));
    if (missing.length === 0) return "linked";
    failure = await linkSettings(view, missing).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  }
  throw (failure as Error | undefined) ?? notLinked("other programs keep replacing the file");
}

/** Git writes through a link, and commands cannot remove a mount. */
async function linkSettings(view: OpenedView, links: readonly ViewLink[]): Promise<void> {
  if (links.length === 0) return;
  const files: number[] = [];
  try {
    for (const { link } of links)
      files.push(openSync(`/proc/${view.pid}/root${link}`, O_PATH | constants.O_NOFOLLOW));
    const [nsenter, sh, mount] = ["nsenter", "sh", "mount"].map((name) => hostProgram(name)) as [
      never,
      never,
      never,
    ];
    const user = view.userNamespace === undefined ? [] : ["--user=/proc/self/fd/3", "--preserve-credentials"];
    const into = [...user, "--mount=/proc/self/fd/4", "--pid=/proc/self/fd/5"];
    const paths = links.map(({ path }) => path);
    const child = startProgram(
      nsenter,
      [...into, requireUnchangedProgram(sh), "-c", MOUNT, "sh", requireUnchangedProgram(mount), ...paths],
      {
        env: { PATH: safePath(), LC_ALL: "C" },
        cwd: "/",
        stdio: [
          "ignore",
          "ignore",
          "pipe",
          view.userNamespace ?? "ignore",
          view.mounts,
          view.processes,
          ...files,
        ],
      },
    );
    let errors = "";
    child.stderr?.on("data", (bytes: Buffer) => (errors += bytes.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw notLinked(errors.trim());
  } catch (thrown) {
    throw (thrown as NodeJS.ErrnoException).syscall === undefined
      ? thrown
      : notLinked((thrown as Error).message);
  } finally {
    files.forEach((file) => closeSync(file));
  }
}

function lstatOf(path: string): Stats | undefined {
  return attempt(() => lstatSync(path));
}

function notLinked(why: string): Error {
  return bubblewrapError(
    "SANDBOX_START_FAILED",
    `the settings of git cannot be mounted as a copy (${why || "mount printed nothing"})`,
    "Run the command outside, or exclude the repository from the writable folders.",
  );
}
