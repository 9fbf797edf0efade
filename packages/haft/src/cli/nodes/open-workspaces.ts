import { HaftError } from "@haft/core";
import type { NodeWorkspace } from "@haft/nodes";
import type { SandboxBackend } from "@haft/sandbox";
import { basename } from "node:path";
import { hostError } from "../../errors.ts";
import type { NodeSettings } from "../../nodes/settings.ts";
import { loadSandboxBackend, loadSandboxes } from "../../sandbox/load-backend.ts";
import { mountable } from "../../sandbox/sandbox-spec.ts";
import { backendNames, type SandboxSettings } from "../../sandbox/settings.ts";

/**
 * Folders of this machine as workspaces of a node, each in sandboxes of the backend that sessions here have.
 *
 * @throws HaftError `CONFIG_INVALID` where there is no sandbox, `SANDBOX_MOUNT_REFUSED` for a folder that is none, or holds
 * more than a project
 */
export async function openWorkspaces(
  { workspaces = {} }: NodeSettings,
  sandbox: SandboxSettings | false | undefined,
  { stateDir, cwd }: { stateDir: string; cwd: string },
): Promise<NodeWorkspace[]> {
  const entries = Object.entries(workspaces);
  if (entries.length === 0) return [];
  const backend = await workingBackend(sandbox);
  const { offerWorkspace } = await loadSandboxes();
  const owner = { workspaceDir: cwd, sessionKey: "", agentId: "main", stateDir };
  return entries.map(
    ([name, { folder, access = "ro", network = "none", description = basename(folder) }]) => {
      const { hostPath } = lent(name, () => mountable(folder, owner));
      return offerWorkspace(backend, { name, description, folder: hostPath, access, network });
    },
  );
}

function lent<T>(name: string, find: () => T): T {
  try {
    return find();
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    const { code, message, details } = thrown;
    throw hostError(code as "SANDBOX_MOUNT_REFUSED", `node.workspaces.${name}: ${message}`, {
      fix: `Name the folder of a project in node.workspaces.${name}, or leave it out.`,
      ...(details !== undefined && { details }),
    });
  }
}

/** Named once, as it is declared: a host that approved one is not given another. */
async function workingBackend(sandbox: SandboxSettings | false | undefined): Promise<SandboxBackend> {
  const reasons: string[] = [];
  const names = sandbox === false ? [] : backendNames({ backend: "auto", ...sandbox });
  for (const name of names) {
    const backend = await loadSandboxBackend(name);
    const { available, reason } = await backend.probe();
    if (available) return backend;
    reasons.push(`${name}: ${reason ?? "it does not work"}`);
  }
  const why = reasons.length === 0 ? "the configuration wants none of the built-in ones" : reasons.join(" ");
  throw hostError(
    "CONFIG_INVALID",
    `node.workspaces are offered in sandboxes, and there is none here: ${why}`,
    {
      fix: "`haft sandbox doctor` says what to do; or leave them out.",
    },
  );
}
