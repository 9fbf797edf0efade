/** Tests unsupported by a system, with the reason. */
export interface ExcludedTest {
  /** A folder or file. */
  path: string;
  reason: string;
}

const NO_HOST_WORKSPACE =
  "it needs a workspace on the host, which Windows has none of (PLATFORM_UNSUPPORTED)";
const ABOUT_THE_REPOSITORY = "it is about this repository, whichever system that is on";

/** Omitted tests by system. Others report missing programs. Linux omits none. */
export const EXCLUDED_TESTS: Readonly<Partial<Record<NodeJS.Platform, readonly ExcludedTest[]>>> = {
  darwin: [
    { path: "packages/sandbox/test/bubblewrap", reason: "bubblewrap is for Linux" },
    { path: "packages/sandbox/test/view", reason: "there is no view of contained commands on macOS" },
    { path: "packages/host/test/contained", reason: "there is no view of contained commands on macOS" },
    {
      path: "packages/sandbox/test/host-sockets",
      reason: "it reads the kernel's list of sockets, below /proc",
    },
    { path: "packages/sandbox/test/isolation", reason: "control groups and seccomp are Linux's" },
    { path: "packages/workspace/test/run/groups", reason: "control groups are Linux's" },
  ],
  win32: [
    { path: "packages/workspace", reason: NO_HOST_WORKSPACE },
    { path: "packages/sandbox", reason: NO_HOST_WORKSPACE },
    { path: "packages/tools-fs", reason: NO_HOST_WORKSPACE },
    { path: "packages/tools-exec", reason: NO_HOST_WORKSPACE },
    { path: "packages/config", reason: NO_HOST_WORKSPACE },
    { path: "packages/plugin-loader", reason: NO_HOST_WORKSPACE },
    { path: "packages/host", reason: NO_HOST_WORKSPACE },
    { path: "packages/history", reason: NO_HOST_WORKSPACE },
    { path: "packages/guard", reason: NO_HOST_WORKSPACE },
    { path: "packages/inspector", reason: NO_HOST_WORKSPACE },
    { path: "packages/haft", reason: NO_HOST_WORKSPACE },
    { path: "apps/demo", reason: NO_HOST_WORKSPACE },
    { path: "test", reason: ABOUT_THE_REPOSITORY },
  ],
};
