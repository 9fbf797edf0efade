import type { Workspace } from "@haft/core";

/** Where commands of a workspace run: `view` is contained on the host, others are as the workspace is. */
export function placeOfCommands(workspace: Pick<Workspace, "describe">): string {
  const { place, containment } = workspace.describe();
  return place === "host" && containment !== undefined ? "view" : place;
}
