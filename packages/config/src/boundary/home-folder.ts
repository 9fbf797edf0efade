import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Returns the home folder of this user. Loads nothing of Haft.
 *
 * @returns `undefined` if `HOME` is empty or relative, or is not set and the system knows no home folder
 */
export function homeFolder(): string | undefined {
  const home = readHome();
  return home !== undefined && isAbsolute(home) ? home : undefined;
}

/** Returns the beginning of a sentence that ends with the consequence. */
export function describeMissingHome(): string {
  const home = readHome();
  return home === undefined || home === ""
    ? `HOME is ${process.env["HOME"] === undefined ? "not set, and this user has no home folder" : "empty"}.`
    : `HOME is ${JSON.stringify(home)}, which is another folder wherever Haft is started.`;
}

function readHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** The path is relative if a variable is relative, or without a home folder. Loads nothing more. */
export function resolveStateFolder(): { variable: string; value: string; path: string } {
  const { HAFT_STATE_DIR: haft, XDG_STATE_HOME: xdg } = process.env;
  if (haft !== undefined && haft !== "") return { variable: "HAFT_STATE_DIR", value: haft, path: haft };
  if (xdg !== undefined && xdg !== "")
    return { variable: "XDG_STATE_HOME", value: xdg, path: join(xdg, "haft") };
  const home = homeFolder() ?? "";
  return { variable: "HOME", value: home, path: join(home, ".local", "state", "haft") };
}

const OF_HAFT = [
  "haft.db",
  "journal",
  "chats",
  "compiled",
  "contained",
  "guard",
  "inspect",
  "mcp",
  "mcp-credentials",
  "node",
  "nodes",
  "plugins",
  "serve",
  "snapshots",
  "trust",
];

export function isStateFolderListing(names: readonly string[]): boolean {
  const [file = "", journal] = OF_HAFT;
  return (
    names.some((name) => name.startsWith(file) || name === journal) ||
    names.every((name) => OF_HAFT.includes(name))
  );
}
