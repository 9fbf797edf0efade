import type { ToolEffect } from "@haft/core";
import { forgetCredentials, changeOperatorsFile } from "@haft/host/internal/mcp";
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

MCP servers bring tools, as NAME_tool. Each session has servers of its own: in its sandbox, and else each in a view of
this machine, where it writes in the workspace and in caches of Haft's own, and reaches nothing but what is said here.

add       Starts or reaches a server, shows what it says of its tools, and keeps that: sessions have these tools, and
          one that is described otherwise later is held back. With a NAME alone: one that the configuration names,
          or that was imported.
review    Shows what of a server is not as it was accepted, and accepts it if you say so.
list      Every server, and what of it is held back.
show      All that was accepted of one.
effects   Says what a tool does: read, write, execute, network, message; computes for none of these; unknown takes it
          back. Nobody has checked what servers say of their tools: until you say it, each call is asked about, and
          sessions that are not main have none of them.
remove    Takes a server out, with what was accepted of it.
import    Names servers of a file that other programs have (.mcp.json: mcpServers). Each is held back until it is added.
login     Signs in to a server at an address that asks for it.

      --network NET         with add: what a program reaches: none (default), full, or host names with commas
      --env NAME[=VALUE]    with add: a variable it gets; without a value that of Haft's own environment, whenever it
                            is started; nothing else of it but PATH, HOME and the like
      --header NAME=VALUE   with add: sent to an address with each request; \${NAME} is a variable of Haft's
      --client-id ID        with add: what somebody registered Haft as with the authorization server of an address,
                            where that registers no program by itself; its redirect address is
                            http://127.0.0.1/callback, with any port
      --client-secret NAME  with add: the variable of Haft's own environment that has the secret of that client
      --cwd DIR             with add: where a program starts, as a path of the workspace
      --outside             with add: a program runs on this machine as it is, with all rights of the user
      --timeout MS          with add: until its start, or a call without news, is given up; default 30000 and 60000
      --dry-run             with add: show it, and keep nothing
      --accept              with review: accept what it shows without being asked
  -w, --workspace DIR       where the server starts while it is looked at; default: the current folder
      --config FILE         configuration; default: HAFT_CONFIG, or ~/.config/haft/haft.config.yaml. What is added
                            stands beside it, in haft.mcp.json
      --state DIR           where Haft keeps what sessions found; default: HAFT_STATE_DIR, or
                            ~/.local/state/haft
      --json                for programs
  -h, --help                this text

Exit codes: 0 when all is well, 1 when not, or when something is held back, 2 for wrong usage.`;

const { config, workspace, state } = sessionArguments;
const ofPlace = { config, workspace, state, json: FLAG } as const;
const oneServer = (name: string) => ({
  most: 1,
  needs: `Which server? haft mcp ${name} NAME; haft mcp list shows them.`,
});

async function removeServer(values: McpValues, [name = ""]: readonly string[]): Promise<number> {
  const place = await readMcpContext(values);
  const { source } = findServer(name, place);
  await changeOperatorsFile(place.file, ({ [name]: _gone, ...others }) => others);
  place.noted.forget(name);
  const wasSignedIn = forgetCredentials(place.stateDir, place.file, name);
  const stillNamedIn = source === place.file ? undefined : source;
  print(values.json, { name, file: place.file, credentials: wasSignedIn, stillNamedIn }, () => {
    const forgot = wasSignedIn ? ", and forgot how it was signed in to" : "";
    const more = stillNamedIn && `\n${formatHomePath(stillNamedIn)} still names it; it is held back.`;
    return `Took ${name} out of ${formatHomePath(place.file)}${forgot}.${more ?? ""}`;
  });
  return 0;
}

const EFFECTS = ["read", "write", "execute", "network", "message"] as const satisfies ToolEffect[];
const COMPUTES = "computes";
const UNKNOWN = "unknown";

async function setEffects(values: McpValues, [name, tool, ...words]: readonly string[]): Promise<number> {
  if (name === undefined || tool === undefined || words.length === 0)
    throw new UsageError(
      `haft mcp effects NAME TOOL EFFECT…: effects are ${EFFECTS.join(", ")}; ${COMPUTES} for none of them, ${UNKNOWN} to take back what was said.`,
    );
  const place = await readMcpContext(values);
  const { accepted, blockedReason } = findServer(name, place);
  if (accepted === undefined)
    throw commandError("MCP_UNAVAILABLE", `The MCP server ${name} ${blockedReason ?? "was never added"}.`, {
      fix: `Run haft mcp add ${name} first.`,
    });
  const names = accepted.tools.map((one) => one.name);
  const wanted = tool === "--all" || tool === "all" ? names : [tool];
  const foreign = wanted.find((one) => !names.includes(one));
  if (foreign !== undefined)
    throw new UsageError(
      `${name} has no tool ${JSON.stringify(foreign)}.${didYouMean(nearestNames(foreign, names, 1)) || ` It has ${names.join(", ")}.`}`,
    );
  const effects = readEffects(words);
  await changeOperatorsFile(place.file, (servers) => {
    const server = servers[name];
    if (server?.accepted === undefined) return servers;
    const said = Object.entries(server.accepted.effects ?? {}).filter(([one]) => !wanted.includes(one));
    const more = effects === undefined ? [] : wanted.map((one) => [one, effects] as const);
    const next = { ...server.accepted, effects: Object.fromEntries([...said, ...more]) };
    return { ...servers, [name]: { ...server, accepted: next } };
  });
  print(values.json, { name, tools: wanted, effects: effects ?? null }, () =>
    effects === undefined
      ? `Nobody says what ${wanted.join(", ")} of ${name} does: each call is asked about.`
      : `${wanted.join(", ")} of ${name}: ${effects.length === 0 ? "only computes" : effects.join(", ")}. Rules decide about calls from now on, in sessions that are opened from now on.`,
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
    `${JSON.stringify(wrong)} is no effect.${didYouMean(nearestNames(wrong, [...EFFECTS, COMPUTES, UNKNOWN], 1)) || ` There are ${EFFECTS.join(", ")}, ${COMPUTES} and ${UNKNOWN}.`}`,
  );
}

export const mcpCommand = defineCommand(help, {
  add: action({
    options: { ...ofPlace, ...serverOptions, "dry-run": FLAG },
    decides: "add an MCP server",
    names: "file",
    program: "haft mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
    most: Infinity,
    needs: "Which server? haft mcp add NAME -- COMMAND, or haft mcp add NAME https://….",
    run: addServer,
  }),
  review: action({
    options: { ...ofPlace, accept: FLAG },
    decides: "accept what an MCP server changed",
    ...oneServer("review"),
    run: reviewServer,
  }),
  list: action({ options: ofPlace, run: listServers }),
  show: action({ options: ofPlace, ...oneServer("show"), run: showServer }),
  effects: action({
    options: ofPlace,
    decides: "say what tools of an MCP server do",
    most: Infinity,
    run: setEffects,
  }),
  remove: action({
    options: ofPlace,
    decides: "remove an MCP server",
    ...oneServer("remove"),
    run: removeServer,
  }),
  import: action({
    options: ofPlace,
    decides: "add MCP servers",
    names: "file",
    most: 1,
    needs: "haft mcp import FILE: one file, such as .mcp.json of another program.",
    run: importServers,
  }),
  login: action({
    options: ofPlace,
    decides: "sign in to an MCP server",
    ...oneServer("login"),
    run: loginToServer,
  }),
});
