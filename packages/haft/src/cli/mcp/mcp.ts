import type { ToolEffect } from "@haft/core";
import { forgetCredentials, changeOperatorsFile } from "@haft/host/internal/mcp";
import { assignToolNames } from "@haft/mcp";
import { didYouMean, nearestNames } from "@haft/utils";
import { commandError } from "../../errors.ts";
import { formatHomePath } from "../plugins/plugins-target.ts";
import { sessionArguments } from "../session-arguments.ts";
import { action, defineCommand, FLAG, UsageError } from "../usage.ts";
import { print } from "../write-out.ts";
import { addServer } from "./add.ts";
import { importServers } from "./import.ts";
import { listServers, showServer } from "./list.ts";
import { loginToServer } from "./login.ts";
import { findServer, type McpValues, readMcpContext } from "./mcp-context.ts";
import { reviewServer } from "./review.ts";
import { serverOptions } from "./server-arguments.ts";

const help = `haft mcp add NAME [--network NET] [--env NAME[=VALUE]] … -- COMMAND [ARGUMENT …]
haft mcp add NAME https://… [--header NAME=VALUE] … [--client-id ID [--client-secret NAME]]
haft mcp add NAME
haft mcp review NAME [--accept]
haft mcp list
haft mcp show NAME
haft mcp effects NAME TOOL|all EFFECT …
haft mcp remove NAME
haft mcp import FILE
haft mcp login NAME

MCP servers add tools, named NAME_tool. Each session has separate servers: in its sandbox, or each in a view of this
machine, where it can write only to the workspace and to caches of Haft, and reaches only the network that you allow.

add       Starts or reaches a server, shows its tools and stores their descriptions: sessions have these tools. A tool
          whose description changes later is held back. NAME alone adds a server that the configuration names, or
          that was imported.
review    Shows how a server differs from its accepted state, and accepts the changes if you agree.
list      Lists all servers, and the tools that are held back.
show      Shows all accepted facts about a server.
effects   Declares the effects of a tool: read, write, execute, network, message; computes if it has none; unknown
          removes the declaration. Haft does not verify the descriptions of servers: until you declare effects, each
          call needs approval, and only sessions of kind main have the tools.
remove    Removes a server, and all that was accepted of it.
import    Adds the servers of a file of another program (.mcp.json: mcpServers). Haft holds each back until you add it.
login     Signs in to a server at an address that requires it.

      --network NET         with add: network of a program: none (default), full, or host names separated by commas
      --env NAME[=VALUE]    with add: a variable of the program; without a value, the variable of Haft's environment
                            at each start. Otherwise it gets only PATH, HOME and similar variables
      --header NAME=VALUE   with add: a header of each request to an address; \${NAME} is a variable of Haft
      --client-id ID        with add: the client that you registered for Haft at the authorization server of an
                            address, if programs cannot register there themselves; the redirect address is
                            http://127.0.0.1/callback, with any port
      --client-secret NAME  with add: the variable of Haft's environment that contains the secret of that client
      --cwd DIR             with add: the folder in which a program starts, as a path of the workspace
      --outside             with add: run the program outside of views, with all rights of the user
      --timeout MS          with add: limit for the start, and for a call without progress; default 30000 and 60000
      --dry-run             with add: show the server and store nothing
      --accept              with review: accept the changes without a question
  -w, --workspace DIR       folder in which the server starts; default: the current folder
      --config FILE         configuration; default: HAFT_CONFIG, or ~/.config/haft/haft.config.yaml. Added servers
                            are stored next to it, in haft.mcp.json
      --state DIR           folder of the changes that sessions found; default: HAFT_STATE_DIR, or
                            ~/.local/state/haft
      --json                print JSON for programs
  -h, --help                print this text

Exit codes: 0 if all is correct, 1 if not, or if something is held back, 2 for wrong usage.`;

const { config, workspace, state } = sessionArguments;
const commonOptions = { config, workspace, state, json: FLAG } as const;
const oneServer = (name: string) => ({
  most: 1,
  needs: `Name a server: haft mcp ${name} NAME; haft mcp list shows all.`,
});

async function removeServer(values: McpValues, [name = ""]: readonly string[]): Promise<number> {
  const context = await readMcpContext(values);
  const { source } = findServer(name, context);
  await changeOperatorsFile(context.file, ({ [name]: _removed, ...others }) => others);
  context.noted.forget(name);
  const wasSignedIn = forgetCredentials(context.stateDir, context.file, name);
  const stillNamedIn = source === context.file ? undefined : source;
  print(values.json, { name, file: context.file, credentials: wasSignedIn, stillNamedIn }, () => {
    const forgot = wasSignedIn ? ", and deleted its credentials" : "";
    const more = stillNamedIn && `\n${formatHomePath(stillNamedIn)} still names it; it is held back.`;
    return `Removed ${name} from ${formatHomePath(context.file)}${forgot}.${more ?? ""}`;
  });
  return 0;
}

const EFFECTS = ["read", "write", "execute", "network", "message"] as const satisfies ToolEffect[];
const COMPUTES = "computes";
const UNKNOWN = "unknown";

async function setEffects(values: McpValues, [name, tool, ...words]: readonly string[]): Promise<number> {
  if (name === undefined || tool === undefined || words.length === 0)
    throw new UsageError(
      `haft mcp effects NAME TOOL EFFECT…: effects are ${EFFECTS.join(", ")}; ${COMPUTES} if it has none, ${UNKNOWN} to remove the declaration.`,
    );
  const context = await readMcpContext(values);
  const { accepted, blockedReason } = findServer(name, context);
  if (accepted === undefined)
    throw commandError("MCP_UNAVAILABLE", `The MCP server ${name} ${blockedReason ?? "was never added"}.`, {
      fix: `Run haft mcp add ${name} first.`,
    });
  const names = accepted.tools.map((one) => one.name);
  // Sessions, errors and tables show the long names.
  const long = new Map([...assignToolNames(name, names)].map(([short, whole]) => [whole, short]));
  const wanted =
    tool === "--all" || tool === "all" ? names : [names.includes(tool) ? tool : (long.get(tool) ?? tool)];
  const foreign = wanted.find((one) => !names.includes(one));
  if (foreign !== undefined)
    throw new UsageError(
      `${name} has no tool ${JSON.stringify(foreign)}.${didYouMean(nearestNames(foreign, names, 1)) || ` It has ${names.join(", ")}.`}`,
    );
  const effects = readEffects(words);
  await changeOperatorsFile(context.file, (servers) => {
    const server = servers[name];
    if (server?.accepted === undefined) return servers;
    const declared = Object.entries(server.accepted.effects ?? {}).filter(([one]) => !wanted.includes(one));
    const more = effects === undefined ? [] : wanted.map((one) => [one, effects] as const);
    const next = { ...server.accepted, effects: Object.fromEntries([...declared, ...more]) };
    return { ...servers, [name]: { ...server, accepted: next } };
  });
  print(values.json, { name, tools: wanted, effects: effects ?? null }, () =>
    effects === undefined
      ? `The effects of ${wanted.join(", ")} of ${name} are not declared: each call needs approval.`
      : `${wanted.join(", ")} of ${name}: ${effects.length === 0 ? "only computes" : effects.join(", ")}. Rules decide about calls in new sessions.`,
  );
  return 0;
}

function readEffects(words: readonly string[]): readonly ToolEffect[] | undefined {
  const all = words.flatMap((word) => word.split(",")).filter(Boolean);
  if (all.length === 1 && all[0] === COMPUTES) return [];
  if (all.length === 1 && all[0] === UNKNOWN) return undefined;
  const wrong = all.find((word) => !(EFFECTS as readonly string[]).includes(word));
  if (wrong === undefined) return EFFECTS.filter((effect) => all.includes(effect));
  throw new UsageError(
    `${JSON.stringify(wrong)} is not an effect.${didYouMean(nearestNames(wrong, [...EFFECTS, COMPUTES, UNKNOWN], 1)) || ` Effects: ${EFFECTS.join(", ")}, ${COMPUTES} and ${UNKNOWN}.`}`,
  );
}

export const mcpCommand = defineCommand(help, {
  add: action({
    options: { ...commonOptions, ...serverOptions, "dry-run": FLAG },
    decides: "add an MCP server",
    names: "file",
    program: "haft mcp add tickets -- tickets-mcp --read-only",
    most: Infinity,
    needs: "Name a server: haft mcp add NAME -- COMMAND, or haft mcp add NAME https://….",
    run: addServer,
  }),
  review: action({
    options: { ...commonOptions, accept: FLAG },
    decides: "accept changes of an MCP server",
    ...oneServer("review"),
    run: reviewServer,
  }),
  list: action({ options: commonOptions, run: listServers }),
  show: action({ options: commonOptions, ...oneServer("show"), run: showServer }),
  effects: action({
    options: commonOptions,
    decides: "declare effects of MCP tools",
    most: Infinity,
    run: setEffects,
  }),
  remove: action({
    options: commonOptions,
    decides: "remove an MCP server",
    ...oneServer("remove"),
    run: removeServer,
  }),
  import: action({
    options: commonOptions,
    decides: "add MCP servers",
    names: "file",
    most: 1,
    needs: "haft mcp import FILE: one file, such as .mcp.json of another program.",
    run: importServers,
  }),
  login: action({
    options: commonOptions,
    decides: "sign in to an MCP server",
    ...oneServer("login"),
    run: loginToServer,
  }),
});
