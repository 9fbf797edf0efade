import { HaftError } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type { AgentResult } from "../agent/agent-options.ts";
import type { ChatHost } from "./chat-host.ts";
import { describeUsage } from "./describe-usage.ts";
import { Interrupts, handleTermination } from "./interrupts.ts";
import { type Chat, openChat } from "./open-chat.ts";
import { type History, readMessage } from "./read-message.ts";
import { RunRenderer } from "./run-renderer.ts";
import { createScreen, toPrintable, type Screen } from "./screen.ts";
import { isCommand, runSlashCommand } from "./slash-commands.ts";

/**
 * Configures {@link runChat}.
 *
 * @example
 * ```ts
 * import type { ChatOptions } from "@haft/chat";
 * import { ReadStream, WriteStream } from "node:tty";
 * const options: ChatOptions = { input: new ReadStream(0), output: new WriteStream(1) };
 * ```
 */
export interface ChatOptions {
  /** Continues a conversation: `true` for the latest, or a run's id. */
  resume?: true | string | undefined;
  /** Reads from this terminal. */
  input: NodeJS.ReadStream;
  /** Writes to this terminal. */
  output: NodeJS.WriteStream;
}

const PROMPT = "› ";

/**
 * Runs a conversation on a terminal until the user leaves, then closes the host.
 *
 * @returns the exit code: 0 if the user left, 128 plus a signal's number
 * @throws HaftError if the conversation cannot start
 *
 * @example
 * ```ts
 * import { runChat, type ChatHost } from "@haft/chat";
 * declare const host: ChatHost;
 * process.exitCode = await runChat(host, { resume: true, input: process.stdin, output: process.stdout });
 * ```
 */
export async function runChat(host: ChatHost, options: ChatOptions): Promise<number> {
  requireKnownOptions<ChatOptions>("runChat", options, { resume: true, input: true, output: true });
  const { resume, input, output } = options;
  const screen = createScreen(output);
  const warn = (message: string): void => screen.line(screen.style("yellow", toPrintable(message)));
  const begin = async (which: true | string | undefined): Promise<Chat> => {
    const { chat, notices } = await openChat(host, which, warn);
    for (const notice of notices) screen.line(screen.style("dim", notice));
    return chat;
  };
  let interrupts: Interrupts | undefined;
  const leaving = handleTermination(
    () => {
      interrupts?.end();
      void host.close();
    },
    () => interrupts?.interrupt(),
  );
  output.on("error", () => process.emit("SIGHUP", "SIGHUP"));
  try {
    let chat = await begin(resume);
    const chats = [chat];
    greet(screen, chat, await host.describeCommands());
    const history: History = [];
    for (;;) {
      const read = await readMessage(input, output, { prompt: PROMPT, history, signal: leaving.signal });
      if ("left" in read) break;
      const { message: prompt } = read;
      if (isCommand(prompt)) {
        const after = await guarded(screen, () => runSlashCommand(chat, prompt, screen));
        if (after === "leave") break;
        if (typeof after !== "object") continue;
        const { open } = after;
        // The next session may continue the same run.
        await chat.session.close();
        const next = await guarded(screen, () => begin(open === "new" ? undefined : open.run));
        if (next !== undefined) chats.push(next);
        else {
          chats[chats.length - 1] = await chat.reopen();
          screen.line(screen.style("dim", "The previous conversation continues."));
        }
        chat = chats.at(-1)!;
        continue;
      }
      interrupts = new Interrupts(chat.session, (text) => screen.line(screen.style("yellow", `\n${text}`)));
      const shown = new RunRenderer(screen, host, chat.session, chat.model.name);
      const result = await chat.send(prompt, {
        signal: interrupts.signal,
        onEvent: (event) => shown.handleEvent(event),
      });
      shown.end();
      interrupts.dispose();
      interrupts = undefined;
      if (leaving.signal.aborted) break;
      showEnd(screen, result);
    }
    screen.line();
    for (const [at, each] of chats.entries()) {
      const isLast = !chats.slice(at + 1).some((later) => runOf(later) === runOf(each));
      farewell(screen, each, isLast);
    }
  } finally {
    await host.close();
    leaving.dispose();
  }
  return leaving.code() ?? 0;
}

async function guarded<T>(screen: Screen, doing: () => Promise<T>): Promise<T | undefined> {
  try {
    return await doing();
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    showError(screen, thrown);
    return undefined;
  }
}

function greet(screen: Screen, { host, model, session }: Chat, commands: string): void {
  const { kind } = session.facts;
  const by = model.byDefault ? " (by default; change it with --model)" : "";
  screen.line(
    `${screen.style("bold", model.name)} at ${model.where}${by}, ${kind} session in ${toPrintable(host.location)}`,
  );
  screen.line(screen.style("dim", toPrintable(commands)));
  const storage =
    host.folder === undefined
      ? "This conversation is not stored."
      : `This conversation is stored for ${host.keepDays} days (secrets masked; --no-keep).`;
  screen.line(screen.style("dim", `${storage} /help lists the commands; Ctrl-D leaves.`));
}

function showEnd(screen: Screen, { ended, error, text, steps }: AgentResult): void {
  if (error !== undefined) return showError(screen, error);
  if (ended === "step-limit")
    screen.line(
      screen.style(
        "yellow",
        `Stopped after ${steps} answers of the model. Send a message to continue; --limit allows more.`,
      ),
    );
  if (ended === "length")
    screen.line(
      screen.style("yellow", "The answer reached the model's output limit. Send a message to continue."),
    );
  if (ended === "done" && text === "") screen.line(screen.style("dim", "(The model sent no text.)"));
}

function showError(screen: Screen, { message, fix, code }: HaftError): void {
  screen.line(`${screen.style("red", toPrintable(message))} [${code}]`);
  if (fix !== undefined) screen.line(toPrintable(fix));
}

function runOf({ session, conversation }: Chat): string | undefined {
  return session.run?.runId ?? conversation.runId;
}

/** Prints usage, and for a run's last chat the waiting calls and the continuing command. */
function farewell(screen: Screen, chat: Chat, isLast: boolean): void {
  const { host, usage, steps } = chat;
  if (steps > 0) screen.line(screen.style("dim", describeUsage(usage, steps)));
  const runId = runOf(chat);
  if (!isLast || runId === undefined) return;
  for (const text of chat.waiting()) screen.line(text);
  screen.line(screen.style("dim", `To continue: ${host.resumeCommand(runId)}`));
}
