import { hostProgram, safePath, startProgram, unchanged } from "@haft/workspace/internal/system";
import { once } from "node:events";
import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { bubblewrapError } from "../../errors.ts";

/** A file of the host that is a link in a view. */
export interface ViewLink {
  /** The file, by its real path, which is the same in the view. */
  path: string;
  /** The link, as the view sees it. */
  link: string;
}

/** Where the processes of a view are, as the host sees them. */
export interface EnteredView {
  /** Its first process. */
  pid: number;
  /** Open file of the user namespace that its mounts belong to; none where they are the host's. */
  userNamespace?: number;
}

/** Node has no name for it: only to know where a file is. Linux, every architecture that Node runs on. */
const O_PATH = 0o10000000;
/** What is mounted is what an open file stands for, so a link stays one: by its path, the system would follow it. */
const MOUNT = `
mount=$1; shift; number=4
for path; do "$mount" -n -c --bind "/proc/self/fd/$number" "$path" || exit 1; number=$((number + 1)); done`;

/** Is the link there, or did it come off, since somebody put another file there? */
export function isLinked({ pid }: EnteredView, { path }: ViewLink): boolean {
  try {
    return lstatSync(`/proc/${pid}/root${path}`).isSymbolicLink();
  } catch {
    return false;
  }
}

/**
 * Puts links in place of files, in one view alone: git writes settings by another file of that name, which it makes where a link
 * leads to. So a copy can be written to, and the link, a mount, neither removed nor replaced.
 *
 * @throws HaftError `SANDBOX_START_FAILED`
 */
export async function linkSettings(view: EnteredView, links: readonly ViewLink[]): Promise<void> {
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
    const into = [...user, `--mount=/proc/${view.pid}/ns/mnt`, `--pid=/proc/${view.pid}/ns/pid`];
    const paths = links.map(({ path }) => path);
    const child = startProgram(
      nsenter,
      [...into, unchanged(sh), "-c", MOUNT, "sh", unchanged(mount), ...paths],
      {
        env: { PATH: safePath(), LC_ALL: "C" },
        cwd: "/",
        stdio: ["ignore", "ignore", "pipe", view.userNamespace ?? "ignore", ...files],
      },
    );
    let said = "";
    child.stderr?.on("data", (bytes: Buffer) => (said += bytes.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw notLinked(said.trim());
  } catch (thrown) {
    throw (thrown as NodeJS.ErrnoException).syscall === undefined
      ? thrown
      : notLinked((thrown as Error).message);
  } finally {
    files.forEach((file) => closeSync(file));
  }
}

function notLinked(why: string): Error {
  return bubblewrapError(
    "SANDBOX_START_FAILED",
    `the settings of git cannot be put into a copy (${why || "mount says nothing"})`,
    "Run the command outside, or exclude the repository from the folders that commands write to.",
  );
}
