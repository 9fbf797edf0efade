import type { HaftError } from "@haft/core";
import { attempt } from "@haft/system";
import { readFileSync, statSync } from "node:fs";
import { type BackendError, bubblewrapError, noRunnerError, setupFailedError } from "../errors.ts";

export const SETUP_FAILED = 97;

export interface FailedStart {
  stderr: string;
  exitCode: number | undefined;
  bwrap: string;
}

export function explainFailure(
  { stderr, exitCode, bwrap }: FailedStart,
  kernel = kernelSettings(),
  error: BackendError = bubblewrapError,
): HaftError {
  const output = summarizeStderr(stderr) || `it ended with exit code ${exitCode} and no output`;
  const unavailable = (why: string, fix: string): HaftError =>
    error("SANDBOX_UNAVAILABLE", `${why} (${output})`, fix);
  if (exitCode === SETUP_FAILED) return setupFailedError(error, output, stderr);
  if (/[Uu]nknown option (--disable-userns|--userns2?|--size|--perms)/.test(stderr))
    return unavailable(
      "this bubblewrap is too old",
      "Install bubblewrap 0.8 or newer; without `--disable-userns` commands could get capabilities of their own.",
    );
  if (
    /execvp .*(No such file|cannot execute)|error while loading shared|required file not found/i.test(stderr)
  )
    return noRunnerError(
      "bubblewrap",
      `The runner cannot run in a bubblewrap sandbox: ${output}.`,
      "Run Haft on a Node without files outside /usr, such as the official builds or the distribution's, or add its folders to `system`.",
    );
  const namespaces =
    /namespace|uid map|RTM_NEWADDR|user_namespaces|Operation not permitted|No space left|proc on/i;
  if (!namespaces.test(stderr))
    return error(
      "SANDBOX_START_FAILED",
      output,
      "Read the message of bubblewrap, or test the simplest settings with `haft sandbox doctor`.",
    );
  if (isSetuid(bwrap))
    return unavailable(
      "bubblewrap is installed setuid root, and does not support the required options in that mode",
      `Use a bubblewrap that is not setuid (chmod u-s ${bwrap}) on a kernel with unprivileged user namespaces.`,
    );
  if (kernel.apparmor === "1")
    return unavailable(
      "AppArmor forbids programs without a profile to use user namespaces",
      `Give bubblewrap a profile: write "abi <abi/4.0>, include <tunables/global> profile bwrap ${bwrap} flags=(unconfined) { userns, }" to /etc/apparmor.d/bwrap and run \`apparmor_parser -r /etc/apparmor.d/bwrap\` as root; or set kernel.apparmor_restrict_unprivileged_userns=0.`,
    );
  if (kernel.unprivileged === "0")
    return unavailable(
      "this kernel allows user namespaces only to root",
      "As root: sysctl kernel.unprivileged_userns_clone=1.",
    );
  if (kernel.max === "0")
    return unavailable(
      "this kernel allows no user namespaces",
      "As root: sysctl user.max_user_namespaces=10000.",
    );
  return unavailable(
    "the system does not allow bubblewrap to make namespaces",
    "In a container, allow user namespaces and an unmasked /proc (Docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined), or use the Docker backend instead.",
  );
}

export interface KernelSettings {
  apparmor: string;
  unprivileged: string;
  max: string;
}

export function kernelSettings(): KernelSettings {
  return {
    apparmor: setting("kernel/apparmor_restrict_unprivileged_userns"),
    unprivileged: setting("kernel/unprivileged_userns_clone"),
    max: setting("user/max_user_namespaces"),
  };
}

export function isSetuid(program: string): boolean {
  const stats = statSync(program, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o4000) !== 0;
}

function setting(name: string): string {
  return attempt(() => readFileSync(`/proc/sys/${name}`, "utf8").trim()) ?? "";
}

function summarizeStderr(stderr: string): string {
  return /^\w*Error(?: \[\w+\])?: .*$/m.exec(stderr)?.[0] ?? stderr.trim().split("\n").slice(-3).join("; ");
}
