import { defineErrors, type HaftError, type HaftErrorOptions } from "@haft/core";
import { workspaceError } from "@haft/workspace/internal/wire";

/** Source of docs/reference/errors.md. */
export const sandboxError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  CAPABILITY_MISSING: operational(
    "This sandbox has only a shell runner, which does not support the operation.",
    "Use another operation, or open a sandbox whose image has Node 20 or later.",
    "none",
  ),
  CONTAINMENT_BROKEN: operational(
    "The view of the host for contained commands is broken: a folder of the session was removed or replaced, or a protected path could not be mounted again. The command was not started.",
    "Check the path in the message and open the session again.",
    "none",
  ),
  CONTAINMENT_UNAVAILABLE: operational(
    "Commands cannot be contained in a view of this machine. The message contains the reason. No command was run without containment.",
    "Follow the message; `haft sandbox doctor` shows details. Or open the session without containment.",
    "none",
  ),
  LEFT_UNSEARCHED: operational(
    "Haft searches the files that contained commands left for programs that others would run. The search took longer than a minute, so a command for outside the view was not started.",
    "Kill the contained commands that run in the background, then call again. The search continues.",
    "none",
  ),
  NETWORK_UNAVAILABLE: operational(
    "The requested network of contained commands could not be set up. Haft used no less safe network instead.",
    'Read the reason in the message, or use the network "none", which has no requirements.',
    "none",
  ),
  REPOSITORY_OF_COMMANDS: policy(
    "A command for outside the view would run in a repository that a contained command created or downloaded. Git runs programs that such a repository names.",
    "Run the command contained. Or read .git/config and .git/hooks of the repository, and clone it on the host.",
    "none",
  ),
  SANDBOX_MOUNT_REFUSED: policy(
    "A folder was not mounted into a sandbox, for one of these reasons. It contains more than a project (the home folder, the system, temporary files, state of Haft), credentials, or code that a mount cannot protect. It was replaced. It would be writable inside although it must be read-only. It contains sockets or FIFOs of the host that could not be masked. If one appeared while the sandbox is open (`details.reason` is `exposed`), the command was not started.",
    "Mount only the folder of the project, or no folder.",
    "none",
  ),
  SANDBOX_NOT_REMOVED: operational(
    "A lost or closed container could not be removed, because Docker does not answer or refuses, or a node did not confirm the end of a workspace. Its processes may still run, and write to its folders.",
    "If Docker hangs, restart it. Remove the container that the message names; the next Haft on this machine also removes it. Check the node when it is reachable again.",
    "unknown",
  ),
  SANDBOX_SETUP_FAILED: operational(
    "The setup script of the sandbox failed, so the session was not opened. Its changes may remain.",
    "Correct the script. `details` contains the end of its output.",
    "unknown",
  ),
  SANDBOX_START_FAILED: operational(
    "The sandbox did not start. `details.reason` is `image-missing` if its image is not on this machine (Haft downloads none), and `in-use` if a session uses a detached sandbox with the same key and other settings.",
    "Read the reason in the message, or test the backend with `haft sandbox doctor`.",
    "none",
  ),
  SANDBOX_UNAVAILABLE: operational(
    "No sandbox can be opened on this machine. The message contains the reason of each backend. Nothing was run on the host instead.",
    "Follow the message; `haft sandbox doctor` shows details.",
    "none",
  ),
  SANDBOX_UNSUPPORTED: input(
    "The backend cannot enforce a setting of the sandbox, such as a list of hosts, an image or a lifetime.",
    "Remove the setting, or use a backend that supports it.",
    "none",
  ),
}));

export type BackendError<Code extends string = BackendCode> = (
  code: Code,
  why: string,
  fix: string,
  more?: Partial<HaftErrorOptions>,
) => HaftError;

type BackendCode =
  | "SANDBOX_UNAVAILABLE"
  | "SANDBOX_UNSUPPORTED"
  | "SANDBOX_START_FAILED"
  | "SANDBOX_SETUP_FAILED";

function errorsOf<Code extends keyof typeof sandboxError.catalogue>(
  backend: string,
  beginnings: Readonly<Record<Code, string>>,
): BackendError<Code> {
  return (code, why, fix, more) => {
    const details = { backend, ...more?.details };
    return sandboxError(code, `${beginnings[code]}: ${why}.`, { fix, ...more, details });
  };
}

function errorsHere(backend: string, name = backend): BackendError {
  return errorsOf(backend, {
    SANDBOX_UNAVAILABLE: `There are no ${name} sandboxes on this machine`,
    SANDBOX_UNSUPPORTED: `A ${name} sandbox cannot be opened like this`,
    SANDBOX_START_FAILED: `The ${name} sandbox did not start`,
    SANDBOX_SETUP_FAILED: "The setup script of the sandbox failed",
  });
}

export const bubblewrapError = /* @__PURE__ */ errorsHere("bubblewrap");
export const dockerError = /* @__PURE__ */ errorsHere("docker", "Docker");
export const runtimeError = /* @__PURE__ */ errorsHere("sandbox-runtime");
export const sshError = /* @__PURE__ */ errorsOf("ssh", {
  SANDBOX_UNAVAILABLE: "The machine cannot be reached over ssh",
  SANDBOX_UNSUPPORTED: "A workspace over ssh cannot be opened like this",
  SANDBOX_START_FAILED: "The workspace over ssh did not start",
  SANDBOX_SETUP_FAILED: "The setup of the workspace over ssh failed",
});

export const nodeError: BackendError<"SANDBOX_UNSUPPORTED"> = /* @__PURE__ */ errorsOf("node", {
  SANDBOX_UNSUPPORTED: "A workspace of a node cannot be opened like this",
});

export const containmentError: BackendError = (_code, why, fix, more) =>
  sandboxError("CONTAINMENT_UNAVAILABLE", `Commands cannot be contained on this machine: ${why}.`, {
    fix,
    ...more,
  });

export function containmentBrokenError(why: string, more?: Partial<HaftErrorOptions>): HaftError {
  return sandboxError("CONTAINMENT_BROKEN", `The view for contained commands is broken: ${why}.`, more);
}

export function noAnswerError(error: BackendError, ms: number): HaftError {
  const why = `its runner sent no message for ${ms / 1000} seconds`;
  return error("SANDBOX_START_FAILED", why, "Try again when the machine is less busy.");
}

export function insufficientMemoryError(error: BackendError): HaftError {
  const why = "its memory limit is too small for the runner";
  return error("SANDBOX_START_FAILED", why, "Allow at least 128 MiB.");
}

export function setupFailedError(error: BackendError, why: string, output: string): HaftError {
  const fix =
    "Correct the script. It runs inside, without files of the host, and without a network unless you allow it.";
  return error("SANDBOX_SETUP_FAILED", why, fix, { details: { output: output.slice(-2000) } });
}

export function hostListUnsupportedError(error: BackendError): HaftError {
  const fix = 'Use the sandbox-runtime backend for a list of hosts, or the network "none" or "full".';
  return error("SANDBOX_UNSUPPORTED", "it does not support a list of hosts", fix);
}

export function detachedUnsupportedError(error: BackendError): HaftError {
  const fix = 'Use the lifetime "tethered", or the Docker backend for sandboxes that outlive the host.';
  return error("SANDBOX_UNSUPPORTED", "its sandboxes are processes of the host and end with it", fix);
}

export function abortedError(backend: string, what = "the sandbox"): HaftError {
  const message = `Opening ${what} was cancelled.`;
  const fix = "Open it again if you still need it.";
  return workspaceError("ABORTED", message, { fix, details: { backend }, receipt: "none" });
}

export function noRunnerError(
  backend: string,
  message: string,
  fix: string,
  details: Record<string, unknown> = {},
): HaftError {
  return workspaceError("SANDBOX_NO_RUNNER", message, {
    fix,
    details: { backend, ...details },
    receipt: "none",
  });
}
