import type { SandboxSpec } from "../backend.ts";
import { bubblewrapError, noListOfHosts, onlyTethered } from "../errors.ts";

/** @throws HaftError `SANDBOX_UNSUPPORTED` for what bubblewrap cannot hold */
export function checkSupported({ network, lifetime }: SandboxSpec): void {
  if (typeof network === "object") throw noListOfHosts(bubblewrapError);
  if (lifetime !== "tethered") throw onlyTethered(bubblewrapError);
}

export function needsFilter(): Error {
  return bubblewrapError(
    "SANDBOX_UNSUPPORTED",
    "its workspace belongs to root, and without a filter of system calls commands could leave setuid programs of root in it",
    "Give the workspace to another user (chown -R), or leave the filter on.",
  );
}

export function notInstalled(): Error {
  return bubblewrapError(
    "SANDBOX_UNAVAILABLE",
    process.platform === "linux" ? "the program bwrap is not installed" : "bubblewrap is for Linux",
    process.platform === "linux"
      ? "Install the package bubblewrap, 0.8 or newer (apt install bubblewrap, dnf install bubblewrap)."
      : "Use the Docker backend.",
  );
}
