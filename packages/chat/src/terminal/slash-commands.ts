import { didYouMean, nearestNames } from "@haft/utils";
import { openModel } from "../model/open-model.ts";
import type { Chat } from "./open-chat.ts";
import { toPrintable, type Screen } from "./screen.ts";

type AfterCommand = undefined | "leave" | { open: "new" | { run: true | string } };

interface SlashCommand {
  usage: string;
  help: string;
  run(chat: Chat, rest: string, screen: Screen): AfterCommand | Promise<AfterCommand>;
}

const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  help: { usage: "/help", help: "this text", run: (_chat, _rest, screen) => showHelp(screen) },
  tools: {
    usage: "/tools",
    help: "the tools of this session, and why others are missing",
    run: async ({ host, session }, _rest, screen) => {
      screen.line(await host.describeTools(session));
      return undefined;
    },
  },
  explain: {
    usage: "/explain TOOL [JSON]",
    help: "which rule decides about a call, and what would change it; nothing is run",
    run: explain,
  },
  undo: {
    usage: "/undo [CALL]",
    help: "files as they were before the last thing you said, or before a call",
    run: undo,
  },
  model: {
    usage: "/model [PROVIDER/MODEL]",
    help: "which model answers; another one from now on",
    run: changeModel,
  },
  clear: {
    usage: "/clear",
    help: "a new conversation, and a new run of calls; the old one is kept",
    run: () => ({ open: "new" }),
  },
  resume: {
    usage: "/resume [RUN]",
    help: "the latest conversation here, or that of a run (haft ledger list)",
    run: (_chat, rest) => ({ open: { run: rest === "" ? true : rest } }),
  },
  exit: { usage: "/exit", help: "leave; so do Ctrl-D, and Ctrl-C twice", run: () => "leave" },
};

/** Whether a line is a command, and not something to say that begins with a path. */
export function isCommand(said: string): boolean {
  return /^\/[a-z]+(?:\s|$)/.test(said) && !said.includes("\n");
}

export async function runSlashCommand(chat: Chat, said: string, screen: Screen): Promise<AfterCommand> {
  const [, name = "", rest = ""] = /^\/([a-z]+)\s*(.*)$/.exec(said) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command.run(chat, rest.trim(), screen);
  const hint = didYouMean(nearestNames(name, Object.keys(COMMANDS)).map((each) => `/${each}`));
  screen.line(`There is no /${name}.${hint} /help lists what there is; a space in front sends it as it is.`);
  return undefined;
}

function showHelp(screen: Screen): undefined {
  const width = Math.max(...Object.values(COMMANDS).map(({ usage }) => usage.length));
  for (const { usage, help } of Object.values(COMMANDS)) screen.line(`  ${usage.padEnd(width)}  ${help}`);
  screen.line(`
  A line that ends with \\ goes on in the next one; what is pasted is one message.
  Ctrl-C stops the call that runs, then the answer; at the prompt it clears the line, and twice it leaves.`);
}

async function explain({ host, session }: Chat, rest: string, screen: Screen): Promise<undefined> {
  const [, toolName, args] = /^(\S+)\s*(.*)$/.exec(rest) ?? [];
  if (toolName === undefined) {
    screen.line("Which tool? /explain TOOL [JSON]; /tools lists them.");
    return;
  }
  screen.line(await host.explain(session, toolName, args === "" ? undefined : args));
}

async function undo(chat: Chat, rest: string, screen: Screen): Promise<undefined> {
  const { host, session, lastCalls } = chat;
  const toolCallId = rest === "" ? lastCalls[0] : rest;
  if (toolCallId === undefined) {
    screen.line(
      "Nothing was called since you said something. /undo CALL goes back further; haft ledger show last lists calls.",
    );
    return;
  }
  const report = await session.rewind(toolCallId);
  screen.line(host.describeRewind(report));
  if (!report.refused && report.files.length > 0)
    chat.note(
      `The user took back what was changed since the call ${toolCallId}: ${report.files.map(({ path }) => path).join(", ")} are as they were before it.`,
    );
}

async function changeModel(chat: Chat, rest: string, screen: Screen): Promise<undefined> {
  if (rest !== "") {
    const { host } = chat;
    // The address of the command line is that of its own model.
    const [provider] = rest.split("/");
    const stays = host.model.model?.split("/")[0] === provider;
    const { providers, baseUrl, keyEnv } = host.model;
    chat.model = await openModel({ model: rest, providers, ...(stays && { baseUrl, keyEnv }) });
  }
  screen.line(`${toPrintable(chat.model.name)} at ${chat.model.where}`);
  return undefined;
}
