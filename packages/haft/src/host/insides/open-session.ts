import type { Workspace } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { SandboxRef } from "@haft/sandbox";
import type { ViewInUse } from "../../contained/contained-workspace.ts";

export interface OpenSession {
  session: Session;
  workspace: Workspace;
  openedAt: number;
  sandbox?: () => SandboxRef;
  view?: () => ViewInUse | undefined;
}
