/** Tests that a system cannot run, and why. */
export interface LeftOut {
  /** A folder, or a file, of the repository. */
  what: string;
  why: string;
}

const NO_HOST_WORKSPACE =
  "it needs a workspace on the host, which Windows has none of (PLATFORM_UNSUPPORTED)";
const ABOUT_THE_REPOSITORY = "it is about this repository, whichever system that is on";

/**
 * What is not tried on each system. Everything else is, and what misses a program there says so by itself. On Linux
 * nothing is left out.
 */
export const LEFT_OUT: Readonly<Partial<Record<NodeJS.Platform, readonly LeftOut[]>>> = {
  darwin: [
    { what: "packages/sandbox/test/bubblewrap", why: "bubblewrap is for Linux" },
    { what: "packages/sandbox/test/view", why: "there is no view of contained commands on macOS" },
    { what: "packages/haft/test/contained", why: "there is no view of contained commands on macOS" },
    { what: "packages/sandbox/test/doors", why: "it reads the kernel's list of sockets, below /proc" },
    { what: "packages/sandbox/test/isolation", why: "control groups and seccomp are Linux's" },
    { what: "packages/workspace/test/run/groups", why: "control groups are Linux's" },
  ],
  win32: [
    { what: "packages/workspace", why: NO_HOST_WORKSPACE },
    { what: "packages/sandbox", why: NO_HOST_WORKSPACE },
    { what: "packages/tools-fs", why: NO_HOST_WORKSPACE },
    { what: "packages/tools-exec", why: NO_HOST_WORKSPACE },
    { what: "packages/haft", why: NO_HOST_WORKSPACE },
    { what: "apps/demo", why: NO_HOST_WORKSPACE },
    { what: "test", why: ABOUT_THE_REPOSITORY },
  ],
};
