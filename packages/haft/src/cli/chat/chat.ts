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
import { installUncaughtHandler } from "../uncaught/install-uncaught-handler.ts";
import { action, defineCommand, FLAG, TEXT, UsageError, parseInteger } from "../usage.ts";
import { chatHost } from "./chat-host.ts";
import { readOperatorChatSettings } from "./chat-settings.ts";

const help = `haft chat [options]

Talks with a model on this terminal, which has the tools of a session: calls are shown while they run, with
diffs, and what needs approval is asked here. It needs the package @haft/chat beside haft.

  haft chat --model anthropic/claude-haiku-4-5
  haft chat --base-url http://127.0.0.1:11434/v1 --model openai/qwen3
  haft chat --resume
  haft chat -p "Which tests fail, and why?" --json

The key of a service is read from its variable: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY. Where one is
set and no model is named, one of that service answers. Other endpoints that speak as one of these do are named
with --base-url, or for good in a configuration: chat: { model, providers: { NAME: { api, baseUrl, key: { env } } } }.

Ctrl-C stops the call that runs, then the answer; at the prompt it clears the line, and twice it leaves. /help
says what else there is. What was said is kept in the state folder, for this user alone, secrets covered and
images left out, as long as calls are.

Where no rules say how commands run, they are contained: they write in the workspace and in caches of Haft's own,
reach no network, and leaving is one question; where this machine cannot contain them, somebody is asked. Rules about exec take the
place of that: policy: { exec: { … } } in a configuration, or --policy FILE.

  -p, --prompt TEXT         one answer, and the end: the words of the model on standard output, its calls on
                            standard error; - reads the text from standard input, and so does a standard
                            input that is no terminal where there is no -p
      --json                with one answer: what happens as lines of JSON, "type":"begin", then "text", "call",
                            "approval" and "result", at last "end" with how it ended, usage and what waits
      --base-url URL        the endpoint of the model; no key goes there but that of --key-env
      --key-env NAME        the variable that has the key, instead of the service's own
      --limit N             answers of the model to one thing that is said; default 50
      --timeout N           seconds the model may say nothing; default 120
      --inspect [ROLE]      a page on this machine beside it, that shows its calls as they go, and with the role
                            act decides about those that wait; its address is printed first. Needs @haft/inspector
      --no-keep             keep nothing of what is said; calls are recorded as ever
      --resume [RUN]        continue the latest conversation here, or that of a run (haft ledger list); what
                            waited for approval waits again, or goes on when it was decided meanwhile
      --take-over           with --resume: wait until the program that has the run has ended
      --approvals MODE      calls that need approval: ask (the default in a conversation; [w]hy explains), pending
                            (the default with -p: they wait, and the model is told so), wait (until haft
                            approvals answer) or deny

${sessionArgumentsHelp}

Exit codes: 0 when somebody left, with one answer when the model was done; 1 when it was not (the endpoint failed,
too many steps); 2 for wrong usage; 3 when the answer is there and calls wait for approval; 129, 130 or 143 when
SIGHUP (a closed terminal), SIGINT or SIGTERM ended it: what ran has ended, and what waits can still be answered.`;

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
    if (values.json && !isOnce) throw new UsageError("--json goes with -p: a conversation is for people.");
    if (!isOnce && !process.stdout.isTTY)
      throw new UsageError(
        "A conversation needs a terminal, and standard output is none. One answer goes with -p.",
      );
    const approvals = values.approvals ?? (isOnce ? "pending" : "ask");
    const maxSteps = countFrom("--limit", values.limit);
    const stallSeconds = countFrom("--timeout", values.timeout);
    const { resume } = resumeOptions(values);
    const options = await readSessionValues(values);
    const terminal = approvals === "ask" ? terminalToAskOn() : undefined;
    // What stands in the way of all is said first.
    const page = inspectRole(values.inspect);
    if (page !== undefined) refusePageInSession();
    const { runChat, runOnce } = await loadOptionalPackage({
      name: "@haft/chat",
      what: "haft chat",
      load: () => import("@haft/chat"),
    });
    const operator = await readOperatorChatSettings(values);
    const prompt = isOnce ? await promptFrom(values.prompt) : undefined;
    installUncaughtHandler();
    const host = await createHost({
      ...options.host,
      approvalMode: modeOf(approvals),
      // A model decides what runs here, as with haft serve.
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

/** Standard output is for the answer alone, whatever tools print. */
async function once(
  prompt: string,
  run: (given: Pick<RunOnceOptions, "prompt" | "output" | "errors" | "outputClosed">) => Promise<number>,
): Promise<number> {
  const gone = new AbortController();
  process.stdout.on("error", () => gone.abort());
  const release = captureStdout();
  try {
    const output = { write: (text: string) => bypassCapture(() => process.stdout.write(text)) };
    return await run({ prompt, output, errors: process.stderr, outputClosed: gone.signal });
  } finally {
    release();
  }
}

async function promptFrom(given = "-"): Promise<string> {
  const prompt = given === "-" ? await readAll(process.stdin) : given;
  if (prompt.trim() === "")
    throw new UsageError(
      given === "-"
        ? "Standard input says nothing, and is no terminal to talk on. What is to be answered goes with -p."
        : "-p says nothing.",
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

/** Who is asked here is asked by the chat, so that what waits outlives it. */
function modeOf(approvals: ApprovalsOption): "wait" | "pending" | "deny" {
  return approvals === "ask" ? "pending" : approvals;
}
