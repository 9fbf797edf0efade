import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { configError } from "../errors.ts";
import { describeMissingHome, resolveStateFolder } from "./home-folder.ts";
import { resolveRealPath } from "./real-path.ts";

/**
 * Returns `HAFT_STATE_DIR`, else `haft` in the XDG state folder (`~/.local/state` by default). The first write creates it.
 *
 * @throws HaftError `PATH_RELATIVE`
 */
export function defaultStateFolder(): string {
  const { variable, value, path } = resolveStateFolder();
  if (isAbsolute(value)) return path;
  if (variable === "HOME")
    throw configError("PATH_RELATIVE", `${describeMissingHome()} Haft's state has no place there.`, {
      fix: "Set HAFT_STATE_DIR to the absolute path of a folder for it, or HOME to that of your home folder.",
    });
  // An agent could control a relative path in a workspace.
  throw configError(
    "PATH_RELATIVE",
    `${variable} is ${JSON.stringify(value)}, which is another folder wherever Haft is started.`,
    { fix: `Give ${variable} an absolute path.` },
  );
}

export function getTemporaryStateFolder(): string {
  return join(tmpdir(), `haft-${process.getuid?.() ?? "user"}-contained`);
}

export function chatsFolder(stateDir: string): string {
  return join(resolve(stateDir), "chats");
}

export function snapshotsFolder(stateDir: string): string {
  return join(resolve(stateDir), "snapshots");
}

/**
 * Returns the state folder of the host and the default of the user, by name and by real path. A session that writes there could answer its
 * own approvals.
 */
export function stateFolders(stateDir: string | false | undefined): string[] {
  const folders = [stateDir || undefined, userDefault()].filter((folder) => folder !== undefined);
  return withRealPaths(folders);
}

/** Includes paths that do not exist yet. */
export function withRealPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [resolve(path), resolveRealPath(resolve(path))]))];
}

function userDefault(): string | undefined {
  try {
    return defaultStateFolder();
  } catch {
    return undefined;
  }
}
