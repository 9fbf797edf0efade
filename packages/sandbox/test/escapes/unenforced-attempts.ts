/** By backend, the names of attempts that it openly does not keep, or not everywhere. The guide says each in words. */
export const UNENFORCED_ATTEMPTS: Readonly<Record<string, readonly string[]>> = {
  // Its folders in memory can be written and have no size (they count as memory), a setting of its own PID namespace
  // can be written, and its filter of system calls refuses fewer than Haft's.
  // A view is the host, read-only: what its users may read is there, its interfaces are listed, and nothing is limited.
  contained: [
    "host-accounts",
    "metadata-service",
    "core-dump",
    "fork-bomb",
    "memory-bomb",
    "disk-filling",
    "large-file",
  ],
  // The runner has any number there, and the filters know none.
  docker: ["runner-signals"],
  "sandbox-runtime": [
    "runner-signals",
    "kernel-files",
    "read-only-mounts",
    "kernel-calls",
    "disk-filling",
    "preallocated-file",
  ],
};
