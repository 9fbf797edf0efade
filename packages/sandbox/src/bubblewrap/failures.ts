import type { HaftError } from "@haft/core";
import { sandboxError } from "../errors.ts";
import { launchFailures } from "../launch/failures.ts";

export const failures = launchFailures("bubblewrap");
export const { aborted, startFailed, unavailable, unsupported } = failures;

export function noRunner(why: string): HaftError {
  return sandboxError("SANDBOX_NO_RUNNER", `The runner cannot run in a bubblewrap sandbox: ${why}.`, {
    fix: "Run Haft on a Node that needs nothing outside /usr, such as the official builds or the distribution's, or add the folders it needs to `system`.",
    details: { backend: "bubblewrap" },
    receipt: "none",
  });
}
