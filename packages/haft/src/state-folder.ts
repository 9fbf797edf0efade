import { homedir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Where Haft keeps what outlives a process: `HAFT_STATE_DIR`, else `haft` in the XDG state folder
 * (`~/.local/state` by default). Created when something is first kept.
 */
export function defaultStateFolder(): string {
  const { HAFT_STATE_DIR: own, XDG_STATE_HOME: xdg } = process.env;
  if (own !== undefined && own !== "") return own;
  return join(xdg !== undefined && xdg !== "" ? xdg : join(homedir(), ".local", "state"), "haft");
}

/** The part of the state folder in which approvals are. */
export function approvalsFolder(stateDir: string = defaultStateFolder()): string {
  return join(resolve(stateDir), "approvals");
}
