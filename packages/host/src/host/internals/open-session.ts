import type { Workspace } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { SandboxRef } from "@haft/sandbox";
import type { ViewUsage } from "../../contained/contained-workspace.ts";

export interface OpenSession {
  session: Session;
  workspace: Workspace;
  openedAt: number;
  sandbox?: () => SandboxRef;
  view?: () => ViewUsage | undefined;
}
