import { HaftError, getErrorMessage } from "@haft/core";
import { attempt } from "@haft/system";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, relative } from "node:path";
import type { SandboxMount, SandboxSpec } from "../../backend.ts";
import { dockerError } from "../../errors.ts";
import { currentFolder } from "../../mounts/mounted-folders.ts";

export const CONTAINER_WORKSPACE_PATH = "/workspace";
const SYSTEM = [
  "/proc",
  "/sys",
  "/dev",
  "/etc",
  "/run",
  "/var/run",
  "/boot",
  "/var/lib/docker",
  "/var/lib/containers",
];
const RESERVED = ["/", "/proc", "/sys", "/dev", "/tmp", "/opt/haft"];

/**
 * Resolves links now, because the Engine is root and would follow any link.
 *
 * @throws HaftError `SANDBOX_UNSUPPORTED` for folders that would expose the host, `SANDBOX_MOUNT_REFUSED` for replaced folders
 */
export function checkMounts({ workspace, mounts }: SandboxSpec, socketPath: string): SandboxMount[] {
  if (workspace !== "none" && !mounts.some(({ name }) => name === "")) {
    const fix = 'Add a mount named "", or ask for the workspace "none", which is a private folder.';
    throw dockerError("SANDBOX_UNSUPPORTED", "no folder is named for the workspace", fix);
  }
  const socket = resolved(socketPath) ?? socketPath;
  return mounts
    .filter(({ name }) => name !== "" || workspace !== "none")
    .map((mount) => {
      const { path, name } = mount;
      if (
        !isAbsolute(path) ||
        path.includes("/../") ||
        RESERVED.some((one) => within(path, one, one !== "/"))
      ) {
        const fix = "Mount it at an absolute path of its own, such as /workspace or /mnt/name.";
        throw dockerError("SANDBOX_UNSUPPORTED", `${path} inside is the container's own`, fix);
      }
      const hostPath = checkedSource(mount, socket);
      const access = name === "" && workspace !== "rw" ? "ro" : mount.access;
      return { ...mount, hostPath, access };
    });
}

function checkedSource(mount: SandboxMount, socket: string): string {
  const path = mount.hostPath;
  let real: string;
  try {
    real = currentFolder(mount);
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
    const why = `${path} cannot be mounted (${getErrorMessage(thrown)})`;
    throw dockerError("SANDBOX_UNSUPPORTED", why, "Mount a folder that exists.");
  }
  const temporary = [tmpdir(), "/tmp", "/var/tmp"].map((one) => resolved(one));
  const system = SYSTEM.flatMap((one) => [one, resolved(one) ?? one]).find((one) => within(real, one));
  const holds =
    real === "/"
      ? "all of the host"
      : system !== undefined
        ? `part of ${system}, the system's`
        : within(socket, real)
          ? "the socket of the Engine, which is as good as root on the host"
          : temporary.includes(real)
            ? "the temporary files of everybody"
            : SYSTEM.some((one) => within(one, real))
              ? "folders of the system"
              : undefined;
  if (holds === undefined) return real;
  const fix = "Mount the folder of the project, and nothing above it.";
  throw dockerError("SANDBOX_UNSUPPORTED", `${path} is not mounted, because it holds ${holds}`, fix);
}

function within(path: string, folder: string, below = true): boolean {
  const rest = relative(folder, path);
  return rest === "" || (below && !rest.startsWith("..") && !isAbsolute(rest));
}

function resolved(path: string): string | undefined {
  return attempt(() => realpathSync(path));
}
