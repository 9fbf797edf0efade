import { DEFAULT_LIMITS } from "@haft/config/internal/settings";
import type { Processes, Workspace } from "@haft/core";
import type { WorkspaceTarget } from "@haft/nodes";
import { previewWorkspace } from "./preview-workspace.ts";

/** Previews a node's workspace without contacting the node. Rules see its name; its files are unknown. */
export function previewOnNode(
  { id, name, workspace }: WorkspaceTarget,
  programs: () => Processes,
): Workspace {
  const { network } = workspace;
  const seen = previewWorkspace(
    {
      key: "",
      scope: "session",
      workspace: "none",
      mounts: [],
      env: {},
      network,
      limits: DEFAULT_LIMITS,
      lifetime: "tethered",
    },
    programs,
  );
  const where = {
    target: "node",
    name: `${id} ${workspace.name}`,
    node: { id, name, workspace: workspace.name },
  } as const;
  const made: Workspace = {
    ...seen,
    withConsent: () => made,
    describe: () => ({ ...seen.describe(), ...where }),
  };
  return made;
}
