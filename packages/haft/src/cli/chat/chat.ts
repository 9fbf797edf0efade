import type { RunOnceOptions } from "@haft/chat";
import { createHost } from "@haft/host";
import { loadOptionalPackage } from "@haft/plugin-loader";
import { bypassCapture, captureStdout } from "@haft/plugin-loader/internal/plugins";
import { text as readAll } from "node:stream/consumers";
import { type ApprovalsOption, reportApprovals } from "../approvals/approval-options.ts";
import { findTerminal } from "../approvals/find-terminal.ts";
import type { InspectorPage } from "../inspect/serve-inspector-page.ts";
import { RUN_NAME_PATTERN } from "../location/run-name.ts";
import { refusePageInSession } from "../refuse-in-session.ts";
import { resumeOptions } from "../run/resume.ts";
import { inspectRole, openInspectorPage } from "../serve/served-host.ts";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { action, defineCommand, FLAG, TEXT, UsageError, parseInteger } from "../usage.ts";
import { chatHost } from "./chat-host.ts";
import { readOperatorChatSettings } from "./chat-settings.ts";

const help = `haft chat [options]

Talks with a model on this terminal. The model has the tools of a session: the terminal shows calls while they run,
with diffs, and asks for approvals. Requires the package @haft/chat.

  haft chat --model anthropic/claude-haiku-4-5
  haft chat --base-url http://127.0.0.1:11434/v1 --model openai/qwen3
  haft chat --resume
  haft chat -p "Which tests fail, and why?" --json

The key of a service is read from its variable: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY. If one is set and
no model is named, a model of that service answers. --base-url names another endpoint with one of these APIs. A
configuration can contain it: chat: { model, providers: { NAME: { api, baseUrl, key: { env } } } }.

Ctrl-C stops the running call, then the answer; at the prompt it clears the line, and twice it exits. /help lists
more. Conversations are stored in the state folder for as long as calls, readable only by this user, with secrets
masked and without images.

If no rules mention commands, they are contained: they can write only to the workspace and to caches of Haft, have no
network, and need one approval to run outside. If this machine cannot contain them, each needs approval. Rules about
exec replace this: policy: { exec: { … } } in a configuration, or --policy FILE.

  -p, --prompt TEXT         give one answer and exit: the answer of the model on standard output, its calls on
                            standard error; - reads the text from standard input, as does a standard input that is
                            not a terminal without -p
      --json                with one answer: print events as lines of JSON, "type":"begin", then "text", "call",
                            "approval" and "result", at last "end" with the outcome, usage and pending calls
      --base-url URL        endpoint of the model; only the key of --key-env is sent there
      --key-env NAME        variable with the key, instead of the variable of the service
      --limit N             answers of the model for each prompt; default 50
      --timeout N           seconds without output of the model until it counts as failed; default 120
      --inspect [ROLE]      also serve a local page that shows the calls live, and that decides about pending calls
                            with the role act; its address is printed first. Requires @haft/inspector
      --no-keep             do not store the conversation; calls are still recorded
      --resume [RUN]        continue the latest conversation here, or that of a run (haft ledger list); pending
                            calls wait again, or continue if they were decided in between
      --take-over           with --resume: wait until the program that holds the run has ended
      --approvals MODE      for calls that need approval: ask (the default in a conversation; [w]hy explains), pending
                            (the default with -p: the calls wait, and the model learns that), wait (until haft
                            approvals answers) or deny

${sessionArgumentsHelp}

Exit codes: 0 if you left, or with one answer if the model finished; 1 if it did not finish (the endpoint failed,
too many steps); 2 for wrong usage; 3 if the answer is complete and calls wait for approval; 129, 130 or 143 if
SIGHUP (a closed terminal), SIGINT or SIGTERM ended it: running calls end, and pending calls can still be answered.`;

const chat = action({
  options: {
    ...sessionArguments,
    prompt: { type: "string", short: "p" },
    json: FLAG,
    "base-url": TEXT,
    "key-env": TEXT,
    limit: TEXT,
    timeout: TEXT,
    inspect: { type: "string", optional: /^act$/ },
    "no-keep": FLAG,
    resume: { type: "string", optional: RUN_NAME_PATTERN },
    "take-over": FLAG,
    approvals: { type: "string", words: ["ask", "wait", "pending", "deny"] },
  },
  async run(values) {
    const isOnce = values.prompt !== undefined || !process.stdin.isTTY;
    if (values.json && !isOnce) throw new UsageError("--json needs -p: a conversation is for people.");
    if (!isOnce && !process.stdout.isTTY)
      throw new UsageError(
        "A conversation needs a terminal, and standard output is not a terminal. Use -p for one answer.",
      );
    const approvals = values.approvals ?? (isOnce ? "pending" : "ask");
    const maxSteps = countFrom("--limit", values.limit);
    const stallSeconds = countFrom("--timeout", values.timeout);
    const { resume } = resumeOptions(values);
    const options = await readSessionValues(values);
    const terminal = approvals === "ask" ? terminalToAskOn() : undefined;
    const page = inspectRole(values.inspect);
    if (page !== undefined) refusePageInSession();
    const { runChat, runOnce } = await loadOptionalPackage({
      name: "@haft/chat",
      what: "haft chat",
      load: () => import("@haft/chat"),
    });
    const operator = await readOperatorChatSettings(values);
    const prompt = isOnce ? await promptFrom(values.prompt) : undefined;
    const host = await createHost({
      ...options.host,
      approvalMode: modeOf(approvals),
      // The model decides which commands run, as in `haft serve`.
      preset: "contained",
      logger: stderrLogger,
    });
    const parts = chatHost({
      host,
      session: options.session,
      values,
      operator,
      maxSteps,
      stallSeconds,
      terminal,
    });
    const opened = {
      ...parts,
      async openSession(which?: true | string) {
        const session = await parts.openSession(which);
        reportApprovals(session, approvals);
        return session;
      },
    };
    let beside: InspectorPage | undefined;
    try {
      beside = await openInspectorPage(host, page, options.host);
      if (prompt === undefined)
        return await runChat(opened, { resume, input: process.stdin, output: process.stdout });
      return await once(prompt, (given) => runOnce(opened, { ...given, resume, json: values.json ?? false }));
    } finally {
      await beside?.close();
      await host.close();
    }
  },
});

export const runChatCommand = defineCommand(help, chat);

async function once(
  prompt: string,
  run: (given: Pick<RunOnceOptions, "prompt" | "output" | "errors" | "outputClosed">) => Promise<number>,
): Promise<number> {
  const closed = new AbortController();
  process.stdout.on("error", () => closed.abort());
  const release = captureStdout();
  try {
    const output = { write: (text: string) => bypassCapture(() => process.stdout.write(text)) };
    return await run({ prompt, output, errors: process.stderr, outputClosed: closed.signal });
  } finally {
    release();
  }
}

async function promptFrom(given = "-"): Promise<string> {
  const prompt = given === "-" ? await readAll(process.stdin) : given;
  if (prompt.trim() === "")
    throw new UsageError(
      given === "-" ? "Standard input is empty and not a terminal. Pass the prompt with -p." : "-p is empty.",
    );
  return prompt;
}

function terminalToAskOn() {
  const terminal = findTerminal();
  if (terminal === undefined)
    throw new UsageError("--approvals ask needs a terminal, and there is none. Use pending, wait or deny.");
  return terminal;
}

function countFrom(option: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInteger(option, text, 1);
}

/** The chat asks, so that pending calls survive it. */
function modeOf(approvals: ApprovalsOption): "wait" | "pending" | "deny" {
  return approvals === "ask" ? "pending" : approvals;
}
