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
    help: "list the tools of this session, and why others are missing",
    run: async ({ host, session }, _rest, screen) => {
      screen.line(await host.describeTools(session));
      return undefined;
    },
  },
  explain: {
    usage: "/explain TOOL [JSON]",
    help: "show the rule that decides about a call and how to change the decision; nothing is run",
    run: explain,
  },
  undo: {
    usage: "/undo [CALL]",
    help: "restore the files from before your last message, or from before a call",
    run: undo,
  },
  model: {
    usage: "/model [PROVIDER/MODEL]",
    help: "show the model, or use another",
    run: changeModel,
  },
  clear: {
    usage: "/clear",
    help: "start a new conversation and a new run; the old conversation stays stored",
    run: () => ({ open: "new" }),
  },
  resume: {
    usage: "/resume [RUN]",
    help: "continue the latest conversation, or that of a run (haft ledger list)",
    run: (_chat, rest) => ({ open: { run: rest === "" ? true : rest } }),
  },
  exit: { usage: "/exit", help: "leave; so do Ctrl-D, and Ctrl-C twice", run: () => "leave" },
};

/** Messages may start with a path. */
export function isCommand(input: string): boolean {
  return /^\/[a-z]+(?:\s|$)/.test(input) && !input.includes("\n");
}

export async function runSlashCommand(chat: Chat, input: string, screen: Screen): Promise<AfterCommand> {
  const [, name = "", rest = ""] = /^\/([a-z]+)\s*(.*)$/.exec(input) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command.run(chat, rest.trim(), screen);
  const hint = didYouMean(nearestNames(name, Object.keys(COMMANDS)).map((each) => `/${each}`));
  screen.line(
    `There is no /${name}.${hint} /help lists the commands. To send the text as a message, start it with a space.`,
  );
  return undefined;
}

function showHelp(screen: Screen): undefined {
  const width = Math.max(...Object.values(COMMANDS).map(({ usage }) => usage.length));
  for (const { usage, help } of Object.values(COMMANDS)) screen.line(`  ${usage.padEnd(width)}  ${help}`);
  screen.line(`
  A line that ends with \\ continues on the next line. Pasted lines form one message.
  Ctrl-C stops the running call, then the answer. At the prompt it clears the line; pressed twice, it leaves.`);
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
      "The model made no call since your last message. /undo CALL goes back further; haft ledger show last lists calls.",
    );
    return;
  }
  const report = await session.rewind(toolCallId);
  screen.line(host.describeRewind(report));
  if (!report.refused && report.files.length > 0)
    chat.note(
      `The user undid all changes since the call ${toolCallId}. Restored files: ${report.files.map(({ path }) => path).join(", ")}.`,
    );
}

async function changeModel(chat: Chat, rest: string, screen: Screen): Promise<undefined> {
  if (rest !== "") {
    const { host } = chat;
    // The command line's address belongs to its model.
    const [provider] = rest.split("/");
    const stays = host.model.model?.split("/")[0] === provider;
    const { providers, baseUrl, keyEnv } = host.model;
    chat.model = await openModel({ model: rest, providers, ...(stays && { baseUrl, keyEnv }) });
  }
  screen.line(`${toPrintable(chat.model.name)} at ${chat.model.where}`);
  return undefined;
}
