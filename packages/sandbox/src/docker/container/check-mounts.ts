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

/** Resolves links now, because the Engine is root. @throws HaftError `SANDBOX_UNSUPPORTED`, `SANDBOX_MOUNT_REFUSED` */
export function checkMounts({ workspace, mounts }: SandboxSpec, socketPath: string): SandboxMount[] {
  if (workspace !== "none" && !mounts.some(({ name }) => name === "")) {
    const fix = 'Add a mount named "", or use the workspace "none", which is a private folder.';
    throw dockerError("SANDBOX_UNSUPPORTED", "the specification names no folder for the workspace", fix);
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
        const fix = "Mount it at a separate absolute path, such as /workspace or /mnt/name.";
        throw dockerError("SANDBOX_UNSUPPORTED", `${path} is reserved inside the container`, fix);
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
      ? "the whole host"
      : system !== undefined
        ? `a part of the system folder ${system}`
        : within(socket, real)
          ? "the socket of the Engine, which gives root access to the host"
          : temporary.includes(real)
            ? "the temporary files of all users"
            : SYSTEM.some((one) => within(one, real))
              ? "folders of the system"
              : undefined;
  if (holds === undefined) return real;
  const fix = "Mount the folder of the project, and no folder above.";
  throw dockerError("SANDBOX_UNSUPPORTED", `${path} is not mounted, because it contains ${holds}`, fix);
}

function within(path: string, folder: string, below = true): boolean {
  const rest = relative(folder, path);
  return rest === "" || (below && !rest.startsWith("..") && !isAbsolute(rest));
}

function resolved(path: string): string | undefined {
  return attempt(() => realpathSync(path));
}
