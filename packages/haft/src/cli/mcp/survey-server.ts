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
import { homedir } from "node:os";
import { join } from "node:path";
import { showProgress } from "../plugins/progress.ts";
import { stderrLogger } from "../stderr-logger.ts";
import type { McpContext } from "./mcp-context.ts";

/** Uses a session's environment without calling tools. */
export async function surveyServer(
  server: KnownServer,
  { stateDir, workspaceDir, roots, allowPrivate, file }: McpContext,
  signal: AbortSignal,
): Promise<McpSurvey> {
  const kept = { stateDir };
  const files = openHostFiles({ workspaceDir, roots, kept });
  const containing = new ContainmentManager({
    policy() {
      throw new Error("no policy is available here");
    },
    files,
    boundary: {},
    reserved: kept,
    folder: join(stateDir, "contained"),
    processes: {},
    network: createHostNetwork(),
    logger: stderrLogger,
  });
  const environments = new ServerEnvironments({
    ...containing.context,
    allowPrivate,
    credentials: openCredentials(stateDir, file),
  });
  const held = await environments.open(server);
  try {
    return await showProgress(`checking ${server.name}`, () =>
      surveyMcp(toAcceptedServer(server), { place: held.place, signal }),
    );
  } catch (thrown) {
    throw forOperator(thrown, server, signal);
  } finally {
    await held.close();
  }
}

/** Recognizes a program that could not write below the home folder. */
function isHomeReadOnly(message: string): boolean {
  return (
    message.includes(`${homedir()}/`) &&
    /\b(?:ENOENT|EROFS|EACCES|EPERM)\b|no such file|read-only|permission denied/i.test(message)
  );
}

/** The original fix addresses models. */
function forOperator(thrown: unknown, { name, settings }: KnownServer, signal: AbortSignal): unknown {
  if (!HaftError.is(thrown) || thrown.code !== "MCP_SERVER_UNAVAILABLE") return thrown;
  const fix = signal.aborted
    ? "Run the command again; nothing was added."
    : settings.url !== undefined
      ? "Check that the server runs, and that its address is correct."
      : settings.outside === true
        ? "Check that its command line works."
        : isHomeReadOnly(thrown.message)
          ? `It writes to its home folder, which programs in a view only read. --env HOME=/tmp gives it a home for the session. To keep its files, name a folder of the workspace.`
          : `Check that its command line works. It was started in a view of this machine, with only installed programs, the workspace and the network of --network: haft mcp add ${name} --outside -- COMMAND starts it without a view.`;
  return new HaftError(thrown.code, thrown.message, {
    category: "operational",
    receipt: "none",
    fix,
    cause: thrown,
  });
}
