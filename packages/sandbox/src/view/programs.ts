import type { HostProgram } from "@haft/workspace/internal/system";
import { isSetuid } from "../bubblewrap/explain-failure.ts";
import { systemCallFilter } from "../bubblewrap/seccomp.ts";
import { containmentError } from "../errors.ts";
import { programFor } from "../programs/host-programs.ts";
import type { ViewOptions, ViewPrograms } from "./view-spec.ts";

/**
 * What of this machine views are made with.
 *
 * @throws HaftError `CONTAINMENT_UNAVAILABLE`, `HOST_PROGRAM_CHANGED`
 */
export function viewPrograms({ bwrap: path }: ViewOptions): ViewPrograms {
  if (process.platform !== "linux") {
    throw containmentError(
      "SANDBOX_UNAVAILABLE",
      `the view of the host is made with Linux namespaces, and this system is ${process.platform}`,
      "Open the session in a sandbox (`haft sandbox doctor` says which there are), or let the list of commands decide.",
    );
  }
  const bwrap = programFor("bwrap", containmentError, { path, option: 'the option "bwrap"' });
  if (bwrap === undefined) {
    throw containmentError(
      "SANDBOX_UNAVAILABLE",
      path === undefined
        ? "the program bwrap is not installed"
        : `there is no program ${path} (the option "bwrap")`,
      "Install the package bubblewrap (apt install bubblewrap, dnf install bubblewrap).",
    );
  }
  if (isSetuid(bwrap.path) && process.getuid!() !== 0) {
    throw containmentError(
      "SANDBOX_UNAVAILABLE",
      "bubblewrap is installed setuid root, and then takes no user namespace of ours, without which walls could not be put back",
      `Use a bubblewrap that is not setuid (chmod u-s ${bwrap.path}) on a kernel with unprivileged user namespaces.`,
    );
  }
  const [unshare, nsenter, mount, sh] = (["unshare", "nsenter", "mount", "sh"] as const).map(needed);
  return { bwrap, unshare: unshare!, nsenter: nsenter!, mount: mount!, sh: sh! };
}

function needed(name: string): HostProgram {
  const program = programFor(name, containmentError);
  if (program !== undefined) return program;
  throw containmentError(
    "SANDBOX_UNAVAILABLE",
    `the program ${name} is not installed`,
    "Install the package util-linux.",
  );
}

/** @throws HaftError `CONTAINMENT_UNAVAILABLE` where none is known */
export function viewFilter(): Buffer {
  const filter = systemCallFilter();
  if (filter !== undefined) return filter;
  throw containmentError(
    "SANDBOX_UNAVAILABLE",
    `no filter of system calls is known for this machine (${process.arch}), and without one commands could make namespaces of their own`,
    "Use a machine with x86-64 or arm64, or the Docker backend.",
  );
}
