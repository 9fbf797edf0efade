import { HaftError } from "@haft/core";
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { SandboxMount, SandboxSpec } from "../backend.ts";
import type { BackendError } from "../errors.ts";
import { currentFolder } from "./mounted-folders.ts";

export interface HostMounts {
  main: SandboxMount | undefined;
  others: SandboxMount[];
}

export function hostMounts({ workspace, mounts }: SandboxSpec, error: BackendError): HostMounts {
  const real = (mount: SandboxMount): SandboxMount => ({
    ...mount,
    hostPath: hostFolder(mount, error),
  });
  const main = mounts.find(({ name }) => name === "");
  const others = mounts.filter((one) => one !== main).map(real);
  if (workspace === "none") return { main: undefined, others };
  if (main === undefined) {
    const fix = 'Add a mount named "", or use the workspace "none", which is a private folder.';
    throw error("SANDBOX_UNSUPPORTED", "its workspace has no folder on the host", fix);
  }
  return { main: { ...real(main), access: workspace === "rw" ? main.access : "ro" }, others };
}

function hostFolder(mount: SandboxMount, error: BackendError): string {
  const path = mount.hostPath;
  try {
    const real = currentFolder(mount);
    if (isAbsolute(path) && statSync(real).isDirectory()) return real;
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
  }
  const why = `the folder ${JSON.stringify(path)} to mount does not exist`;
  throw error("SANDBOX_START_FAILED", why, "Create it, or name another folder.");
}
