import { type KnownServer, changeOperatorsFile } from "@haft/host/internal/mcp";
import { fingerprint, type McpSurvey, assignToolNames } from "@haft/mcp";
import { askYesNo, findTerminal } from "../approvals/find-terminal.ts";
import { runInterruptible } from "../call/signal-listener.ts";
import { toStoredServer } from "./add.ts";
import { differenceLines, serverToolLines } from "./describe-server.ts";
import { findServer, type McpValues, readMcpContext } from "./mcp-context.ts";
import { surveyServer } from "./survey-server.ts";

export async function reviewServer(
  values: McpValues & { accept?: boolean },
  [name = ""]: readonly string[],
): Promise<number> {
  const context = await readMcpContext(values);
  const server = findServer(name, context);
  return runInterruptible(values.json, async (signal) => {
    const survey = await surveyServer(server, context, signal);
    const found = changesOf(server, survey);
    const isSame =
      found.changed.length + found.added.length + found.gone.length === 0 &&
      server.blockedReason === undefined;
    if (isSame) context.noted.forget(name);
    if (!values.json)
      console.log(isSame ? `The tools of ${name} are as accepted.` : linesOf(server, found).join("\n"));
    const terminal = values.json === true || isSame ? undefined : findTerminal();
    const isAccepted =
      !isSame &&
      (values.accept === true ||
        (terminal !== undefined && (await askYesNo(terminal, `Accept ${name} as it is now?`, signal))));
    if (isAccepted) {
      await changeOperatorsFile(context.file, (servers) => ({
        ...servers,
        [name]: toStoredServer(server, survey, servers[name], context),
      }));
      context.noted.forget(name);
    }
    if (values.json)
      console.log(JSON.stringify({ name, ...found, heldBack: server.blockedReason, accepted: isAccepted }));
    else if (isAccepted) console.log(`Accepted for new sessions.`);
    else if (!isSame) console.log(`Nothing was accepted. To accept: haft mcp review ${name} --accept`);
    return isSame || isAccepted ? 0 : 1;
  });
}

interface Found {
  changed: { before: McpSurvey["tools"][number]; now: McpSurvey["tools"][number] }[];
  added: McpSurvey["tools"][number][];
  gone: string[];
}

function changesOf({ accepted }: KnownServer, { tools }: McpSurvey): Found {
  const before = new Map((accepted?.tools ?? []).map((tool) => [tool.name, tool]));
  const now = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    changed: tools.flatMap((tool) => {
      const old = before.get(tool.name);
      return old === undefined || fingerprint(old) === fingerprint(tool) ? [] : [{ before: old, now: tool }];
    }),
    added: tools.filter((tool) => !before.has(tool.name)),
    gone: [...before.keys()].filter((tool) => !now.has(tool)),
  };
}

function linesOf(server: KnownServer, { changed, added, gone }: Found): string[] {
  const names = assignToolNames(server.name, [
    ...changed.map(({ now }) => now.name),
    ...added.map(({ name }) => name),
  ]);
  return [
    ...(server.blockedReason === undefined ? [] : [`${server.name} ${server.blockedReason}.`]),
    ...changed.flatMap(({ before, now }) => [
      `${names.get(now.name)!} has changed:`,
      ...differenceLines(before, now),
    ]),
    ...added.flatMap((tool) => ["New:", ...serverToolLines(names.get(tool.name)!, tool)]),
    ...(gone.length === 0 ? [] : [`Removed: ${gone.join(", ")}`]),
  ];
}
