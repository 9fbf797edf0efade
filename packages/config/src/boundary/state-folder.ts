import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { configError } from "../errors.ts";
import { describeMissingHome, resolveStateFolder } from "./home-folder.ts";
import { resolveRealPath } from "./real-path.ts";

/**
 * Where Haft keeps what outlives a process: `HAFT_STATE_DIR`, else `haft` in the XDG state folder
 * (`~/.local/state` by default). Created when something is first kept.
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
  // It would be another folder in each working folder, and in a workspace the agent's own.
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
 * What no session may touch: the state folder of its host, and the one that other hosts of the user have. Whoever can
 * write there answers its own approvals. Each as it is named and as it really is; it need not be there yet.
 */
export function stateFolders(stateDir: string | false | undefined): string[] {
  const folders = [stateDir || undefined, ownDefault()].filter((folder) => folder !== undefined);
  return withRealPaths(folders);
}

/** Each as it is named and, also where it is not there yet, without links. */
export function withRealPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [resolve(path), resolveRealPath(resolve(path))]))];
}

function ownDefault(): string | undefined {
  try {
    return defaultStateFolder();
  } catch {
    return undefined;
  }
}
