import { type McpSurvey, surveyMcp } from "@haft/mcp";
import { createHostNetwork } from "@haft/workspace";
import { join } from "node:path";
import { openHostFiles } from "../../boundary/open-host-files.ts";
import { Containing } from "../../contained/containing.ts";
import { credentialsIn } from "../../mcp/credentials.ts";
import { type KnownServer, readyServer } from "../../mcp/known-servers.ts";
import { ServerPlaces } from "../../mcp/server-places.ts";
import { working } from "../plugins/progress.ts";
import { stderrLogger } from "../stderr-logger.ts";
import type { McpPlace } from "./mcp-place.ts";

/**
 * Starts or reaches a server where one of a session would be, asks for its tools, and ends it. None of its tools is called.
 *
 * @throws HaftError `MCP_…`, and those of views
 */
export async function surveyServer(
  server: KnownServer,
  { stateDir, workspaceDir, roots, allowPrivate, file }: McpPlace,
  signal: AbortSignal,
): Promise<McpSurvey> {
  const kept = { stateDir };
  const files = openHostFiles({ workspaceDir, roots, kept });
  const containing = new Containing({
    policy() {
      throw new Error("nobody decides here");
    },
    files,
    boundary: {},
    kept,
    folder: join(stateDir, "contained"),
    processes: {},
    network: createHostNetwork(),
    logger: stderrLogger,
  });
  const places = new ServerPlaces({
    ...containing.ground,
    allowPrivate,
    credentials: credentialsIn(stateDir, file),
  });
  const held = await places.open(server);
  try {
    return await working(`looking at ${server.name}`, () =>
      surveyMcp(readyServer(server), { place: held.place, signal }),
    );
  } finally {
    await held.close();
  }
}
