import { redactServer } from "@haft/config/internal/settings";
import { HaftError } from "@haft/core";
import {
  type KnownServer,
  type AcceptedTools,
  changeOperatorsFile,
  hashSettings,
  type StoredServer,
} from "@haft/host/internal/mcp";
import type { McpSurvey } from "@haft/mcp";
import { withoutUndefined, didYouMean, nearestNames } from "@haft/utils";
import { runInterruptible } from "../call/signal-listener.ts";
import { formatHomePath } from "../plugins/plugins-target.ts";
import { UsageError } from "../usage.ts";
import { surveyLines } from "./describe-server.ts";
import { findServer, type McpContext, readMcpContext } from "./mcp-context.ts";
import { readServerArguments, type ServerValues } from "./server-arguments.ts";
import { surveyServer } from "./survey-server.ts";

export async function addServer(
  values: ServerValues & { "dry-run"?: boolean },
  [name = "", ...words]: readonly string[],
): Promise<number> {
  const given = readServerArguments(name, words, values);
  const context = await readMcpContext(values);
  const names = context.servers.map((one) => one.name);
  if (given === undefined && !names.includes(name))
    throw new UsageError(
      `No configuration names ${name}, so it needs a command or an address: haft mcp add ${name} -- COMMAND, or haft mcp add ${name} https://….${didYouMean(nearestNames(name, names, 1))}`,
    );
  const server: KnownServer =
    given === undefined ? findServer(name, context) : { name, settings: given, source: context.file };
  if (given !== undefined && context.servers.some((one) => one.name === name && one.source !== context.file))
    throw new UsageError(`The configuration names ${name} already: run haft mcp add ${name} to add it.`);
  return runInterruptible(values.json, async (signal) => {
    const survey = await surveyOrKeep(server, { given: given !== undefined, context, signal });
    if (values["dry-run"] !== true) {
      await changeOperatorsFile(context.file, (servers) => ({
        ...servers,
        [name]: toStoredServer(server, survey, servers[name], context),
      }));
      context.noted.forget(name);
    }
    report(server, survey, {
      context,
      isDry: values["dry-run"] === true,
      asJson: values.json === true,
    });
    return 0;
  });
}

/** Stored despite missing authorization, so that the user can sign in. */
async function surveyOrKeep(
  server: KnownServer,
  { given, context, signal }: { given: boolean; context: McpContext; signal: AbortSignal },
): Promise<McpSurvey> {
  try {
    return await surveyServer(server, context, signal);
  } catch (thrown) {
    if (!HaftError.is(thrown) || thrown.code !== "MCP_AUTHORIZATION_NEEDED") throw thrown;
    const { name, settings, source } = server;
    const header =
      source === context.file
        ? `haft mcp add ${name} ${settings.url ?? "ADDRESS"} --header 'Authorization=Bearer \${VARIABLE}'`
        : `set headers in ${source}`;
    const options = {
      category: "operational",
      receipt: "none",
      fix: `Run haft mcp login ${name}, and then haft mcp add ${name}. If the server takes a token instead: ${header}.`,
      cause: thrown,
    } as const;
    if (!given) throw new HaftError(thrown.code, thrown.message, options);
    await changeOperatorsFile(context.file, (servers) => ({
      ...servers,
      [name]: { settings },
    }));
    throw new HaftError(
      thrown.code,
      `${thrown.message} It is stored, and held back until you add it.`,
      options,
    );
  }
}

/** Existing tools keep declared effects. */
export function toStoredServer(
  server: KnownServer,
  { tools, era, info }: McpSurvey,
  before: StoredServer | undefined,
  { file }: Pick<McpContext, "file">,
): StoredServer {
  const names = new Set(tools.map((tool) => tool.name));
  const declared = Object.entries(before?.accepted?.effects ?? {}).filter(([tool]) => names.has(tool));
  const accepted = withoutUndefined<AcceptedTools>({
    at: Date.now(),
    settings: hashSettings(server.settings),
    era,
    info,
    tools,
    effects: declared.length === 0 ? undefined : Object.fromEntries(declared),
  });
  return { ...(server.source === file && { settings: server.settings }), accepted };
}

function report(
  server: KnownServer,
  survey: McpSurvey,
  { context, isDry, asJson }: { context: McpContext; isDry: boolean; asJson: boolean },
): void {
  const { name } = server;
  if (asJson) {
    const settings = redactServer(server.settings);
    console.log(JSON.stringify({ name, settings, ...survey, file: context.file, added: !isDry }));
    return;
  }
  const count = survey.tools.length === 1 ? "1 tool" : `${survey.tools.length} tools`;
  console.log(surveyLines(server, survey).join("\n"));
  console.log(
    isDry
      ? `\nThis is its present description; nothing was added.`
      : `\nAdded ${name} with ${count}, as described above, to ${formatHomePath(context.file)}. A tool whose description changes later is held back.
Haft does not verify what they do: until you declare effects, each call needs approval, and only sessions of kind main have them: haft mcp effects ${name} TOOL EFFECT…`,
  );
}
