import { defineErrors, type HaftError, type HaftErrorOptions } from "@haft/core";
import { workspaceError } from "@haft/workspace/internal/wire";

/** The errors of this package: the source of docs/reference/errors.md. */
export const sandboxError = /* @__PURE__ */ defineErrors(({ input, operational, policy }) => ({
  CAPABILITY_MISSING: operational(
    "Only a shell serves in this sandbox, and it cannot do what was asked for.",
    "Do it another way, or open a sandbox whose image has Node 20 or later: its runner can.",
    "none",
  ),
  CONTAINMENT_BROKEN: operational(
    "The view of the host that commands run in is not what it was to be any more: a folder of the session was removed or replaced, or what is to stay as it is could not be held again. The command was not started.",
    "Look at what the message names and open the session again.",
    "none",
  ),
  CONTAINMENT_UNAVAILABLE: operational(
    "Commands cannot be contained in a view of this machine, for the reason in the message. Nothing was run without.",
    "Do what the message says; `haft sandbox doctor` says more. Or open the session without containment.",
    "none",
  ),
  LEFT_UNSEARCHED: operational(
    "A command was to run outside of its view while what contained commands left is still searched for what others would run, and that took longer than a minute. The command was not started.",
    "End what contained commands still have running in the background and call again: the search goes on meanwhile.",
    "none",
  ),
  NETWORK_UNAVAILABLE: operational(
    "The network of contained commands could not be set up as it was asked for, and nothing less safe was used instead.",
    'Read the reason in the message; the network "none" needs nothing of the machine.',
    "none",
  ),
  REPOSITORY_OF_COMMANDS: policy(
    "A command was to run outside of its view in a repository that a contained command made or brought. Git starts what such a repository says.",
    "Run it contained; or look at the repository's .git/config and .git/hooks and make a clone of it on the host.",
    "none",
  ),
  SANDBOX_MOUNT_REFUSED: policy(
    "A folder is not mounted into a sandbox: it holds more than a project (the home folder, the system, temporary files, what Haft keeps), is one of credentials, was replaced, has code in it that a mount cannot hold, could be written inside though it is to be read-only, has sockets and FIFOs of the host in it that could not be covered, or got one while the sandbox is open (`details.reason` is `exposed`): then the command was not started.",
    "Name the folder of the project itself, or mount none.",
    "none",
  ),
  SANDBOX_NOT_REMOVED: operational(
    "A container that was lost or closed could not be removed, because Docker does not answer or refuses; or a node does not say that it ended a workspace. What ran in it may still run, and write what it was allowed to.",
    "Restart Docker when it hangs, then remove the container that the message names; the next Haft on the machine removes it, too. Look at the node when it can be reached again.",
    "unknown",
  ),
  SANDBOX_SETUP_FAILED: operational(
    "The setup script of the sandbox failed, so the session was not opened. What it did until then may be there.",
    "Correct the script; the end of its output is in `details`.",
    "unknown",
  ),
  SANDBOX_START_FAILED: operational(
    "The sandbox could be started here, and this one did not start. `details.reason` is `image-missing` where its image is not on this machine (none is downloaded by itself), and `in-use` where a detached one of this key has other settings and a session in it.",
    "Read the reason in the message; `haft sandbox doctor` tries one.",
    "none",
  ),
  SANDBOX_UNAVAILABLE: operational(
    "No sandbox can be opened on this machine; the reason of each backend is in the message. Nothing was run on the host instead.",
    "Do what the message says; `haft sandbox doctor` says more.",
    "none",
  ),
  SANDBOX_UNSUPPORTED: input(
    "The sandbox was asked for something its backend cannot hold: a list of hosts, an image, a lifetime.",
    "Leave it out, or choose a backend that can.",
    "none",
  ),
}));

/** What a backend says: its name begins the message, and is in the details. */
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
  SANDBOX_UNAVAILABLE: "There is no way to the machine over ssh",
  SANDBOX_UNSUPPORTED: "A workspace over ssh cannot be opened like this",
  SANDBOX_START_FAILED: "The workspace over ssh did not start",
  SANDBOX_SETUP_FAILED: "The setup of the workspace over ssh failed",
});

export const nodeError: BackendError<"SANDBOX_UNSUPPORTED"> = /* @__PURE__ */ errorsOf("node", {
  SANDBOX_UNSUPPORTED: "A workspace of a node cannot be opened like this",
});

/** Of the view of the host that commands are contained in; by its kind of error, since all of them mean there is none. */
export const containmentError: BackendError = (_code, why, fix, more) =>
  sandboxError("CONTAINMENT_UNAVAILABLE", `Commands cannot be contained on this machine: ${why}.`, {
    fix,
    ...more,
  });

/** @param why the end of a sentence */
export function containmentBrokenError(why: string, more?: Partial<HaftErrorOptions>): HaftError {
  return sandboxError(
    "CONTAINMENT_BROKEN",
    `The view that commands are contained in does not hold: ${why}.`,
    more,
  );
}

export function noAnswerError(error: BackendError, ms: number): HaftError {
  const why = `its runner said nothing for ${ms / 1000} seconds`;
  return error("SANDBOX_START_FAILED", why, "Try again when the machine is less busy.");
}

export function insufficientMemoryError(error: BackendError): HaftError {
  const why = "its memory does not suffice for the runner";
  return error("SANDBOX_START_FAILED", why, "Allow at least 128 MiB.");
}

export function setupFailedError(error: BackendError, why: string, output: string): HaftError {
  const fix =
    "Correct the script; it runs inside, without the host's files and, unless asked for, without a network.";
  return error("SANDBOX_SETUP_FAILED", why, fix, { details: { output: output.slice(-2000) } });
}

export function hostListUnsupportedError(error: BackendError): HaftError {
  const fix = 'Use the sandbox-runtime backend for a list of hosts, or the network "none" or "full".';
  return error("SANDBOX_UNSUPPORTED", "it cannot let some hosts through and others not", fix);
}

export function detachedUnsupportedError(error: BackendError): HaftError {
  const fix = 'Use the lifetime "tethered", or the Docker backend for sandboxes that outlive the host.';
  return error("SANDBOX_UNSUPPORTED", "its sandboxes are processes of the host and end with it", fix);
}

export function abortedError(backend: string, what = "the sandbox"): HaftError {
  const message = `Opening ${what} was cancelled.`;
  const fix = "Open it again if it is still wanted.";
  return workspaceError("ABORTED", message, { fix, details: { backend }, receipt: "none" });
}

/** @param message what cannot serve there, and why, as a sentence */
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
