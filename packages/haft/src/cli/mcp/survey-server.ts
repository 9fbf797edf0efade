import { openHostFiles } from "@haft/config/internal/boundary";
import { HaftError } from "@haft/core";
import { ContainmentManager } from "@haft/host/internal/contained";
import {
  openCredentials,
  type KnownServer,
  toAcceptedServer,
  ServerEnvironments,
} from "@haft/host/internal/mcp";
import { type McpSurvey, surveyMcp } from "@haft/mcp";
import { createHostNetwork } from "@haft/workspace";
import { join } from "node:path";
import { showProgress } from "../plugins/progress.ts";
import { stderrLogger } from "../stderr-logger.ts";
import type { McpContext } from "./mcp-context.ts";

/** Uses the same environment as a session. Calls no tools. */
export async function surveyServer(
  server: KnownServer,
  { stateDir, workspaceDir, roots, allowPrivate, file }: McpContext,
  signal: AbortSignal,
): Promise<McpSurvey> {
  const kept = { stateDir };
  const files = openHostFiles({ workspaceDir, roots, kept });
  const containing = new ContainmentManager({
    policy() {
      throw new Error("nobody decides here");
    },
    files,
    boundary: {},
    reserved: kept,
    folder: join(stateDir, "contained"),
    processes: {},
    network: createHostNetwork(),
    logger: stderrLogger,
  });
  const places = new ServerEnvironments({
    ...containing.context,
    allowPrivate,
    credentials: openCredentials(stateDir, file),
  });
  const held = await places.open(server);
  try {
    return await showProgress(`looking at ${server.name}`, () =>
      surveyMcp(toAcceptedServer(server), { place: held.place, signal }),
    );
  } catch (thrown) {
    throw forOperator(thrown, server, signal);
  } finally {
    await held.close();
  }
}

/** The original fix is written for models. */
function forOperator(thrown: unknown, { name, settings }: KnownServer, signal: AbortSignal): unknown {
  if (!HaftError.is(thrown) || thrown.code !== "MCP_SERVER_UNAVAILABLE") return thrown;
  const fix = signal.aborted
    ? "Run the command again; nothing was added."
    : settings.url !== undefined
      ? "See that the server is there, and that its address is right."
      : settings.outside === true
        ? "See that its command line works by itself."
        : `See that its command line works by itself. It was started in a view of this machine, in which only installed programs and the workspace are there, and no network but what --network names: haft mcp add ${name} --outside -- COMMAND starts it without one.`;
  return new HaftError(thrown.code, thrown.message, {
    category: "operational",
    receipt: "none",
    fix,
    cause: thrown,
  });
}
