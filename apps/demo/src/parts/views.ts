import type { AgentResult } from "@haft/chat";
import { formatToolResult, summarizeCall } from "@haft/core";
import { check } from "../inspect.ts";
import { truncateToWidth, paint, showLines } from "../screen.ts";
import { type Part, listCalls, createDemoHost, runAgent, watchSession } from "../session.ts";

const kinds = ["main", "group", "sandboxed"] as const;

export const toolsPart: Part = {
  name: "tools",
  title: "What each kind of session is offered",
  async run({ host, report }, { prose, table }) {
    const previews = await Promise.all(kinds.map((kind) => host.preview({ kind })));
    const rows = host.catalogue.map(async ({ name }) => {
      const explained = await Promise.all(previews.map((preview) => preview.explain(name)));
      const cells = explained.map(({ found, verdict }) => {
        if (found !== "visible") return paint.dim("–");
        return verdict === "asks" ? paint.yellow("asks") : paint.green("yes");
      });
      return [`  ${paint.bold(name)}`, ...cells];
    });
    table([["  tool", ...kinds], ...(await Promise.all(rows))]);
    const sets = previews.map((preview, i) => {
      const offered = preview.tools().map(({ name }) => name);
      return [kinds[i]!, { offered, missing: preview.missing() }] as const;
    });
    report["tools"] = Object.fromEntries(sets);
    for (const [kind, { missing }] of sets)
      for (const { reason, fix = "" } of missing) prose(`${kind}: ${reason} ${fix}`);
    return undefined;
  },
};

const FENCES = /^`{3,}.*\n?/gm;
const MAX_LINES = 8;

/** One result as Markdown and plain text. */
export const formatsPart: Part = {
  name: "formats",
  title: "One result in both formats",
  needs: ["repair"],
  async run({ report }, screen) {
    const shown = report.calls.findLast(
      ({ session, outcome: { content } }) =>
        session === "owner" && content.some((block) => block.type === "text" && block.language !== undefined),
    );
    const [markdown, plain] = (["markdown", "plain"] as const).map((format) => {
      const formatted = shown ? formatToolResult(shown.outcome, format) : "";
      screen.line(`  ${format} of ${paint.bold(shown?.summary ?? "nothing")}`);
      showLines(screen, formatted, MAX_LINES);
      return formatted;
    }) as [string, string];
    const unfenced = (value: string) => value.replace(FENCES, "").trim();
    const same = plain !== "" && markdown !== plain && unfenced(markdown) === unfenced(plain);
    const characters = { markdown: markdown.length, plain: plain.length };
    return () => [check("both formats say the same", same, characters)];
  },
};

/** The kernel's records of every call, including calls that never ran. */
export const ledgerPart: Part = {
  name: "ledger",
  title: "The ledger",
  needs: ["repair", "denied"],
  async run({ report, sessions }, { table }) {
    const books = Array.from(sessions, ([who, { session }]) => [who, session.ledger()] as const);
    report.ledger = Object.fromEntries(books);
    const head = ["  id", "session", "status", "effect", "code", "call"].map(paint.dim);
    const rows = books.flatMap(([who, entries]) =>
      entries.map(({ toolCallId, toolName, args, status, receipt = "", code = "" }) => {
        const summary = truncateToWidth(summarizeCall(toolName, args, { format: "plain" }), 34);
        const end = status === "completed" ? paint.green(status) : paint.red(status);
        return [
          `  ${truncateToWidth(toolCallId, 12)}`,
          who,
          end,
          receipt,
          truncateToWidth(code, 17),
          summary,
        ];
      }),
    );
    table([head, ...rows]);
    return () => {
      const entries = Array.from(sessions.values()).flatMap(({ session }) => session.ledger());
      const open = entries.filter(({ status }) => status === "pending" || status === "executing");
      const answered = report.calls.map(({ outcome }) => outcome.toolCallId);
      const inBooks = entries.map(({ toolCallId }) => toolCallId);
      const same = answered.toSorted().join() === inBooks.toSorted().join();
      const counts = { entries: entries.length, answers: answered.length, open: open.length };
      return [check("the ledger is complete", entries.length > 0 && open.length === 0 && same, counts)];
    };
  },
};

/** Successive messages of one conversation. */
const SAID = [
  "What does `src/server.js` do? Read it, and answer in one sentence.",
  "Thanks for `src/server.js`. Now run `node --version` with the tool bash, once, and say what it prints.",
] as const;

export const chatPart: Part = {
  name: "chat",
  title: "A conversation, as haft chat has it (main session)",
  async run(stage, screen) {
    const { prose, line } = screen;
    const host = await createDemoHost(stage, {}, { approvalMode: "pending" });
    const asked: string[] = [];
    const ask = async ({ tool }: { tool: { name: string } }) => {
      asked.push(tool.name);
      prose("Somebody says yes.", 2, paint.yellow);
      return { decision: "allow-once", by: "the demo" } as const;
    };
    let last: AgentResult | undefined;
    const { session } = await watchSession(stage, "talker", screen, host);
    for (const prompt of SAID) {
      prose(`› ${prompt}`, 2, paint.bold);
      const model = stage.model.talker;
      last = await runAgent(stage, screen, { model, session, prompt, messages: last?.messages ?? [], ask });
    }
    const { messages, usage } = last!;
    line(paint.dim(`  The last answer: ${usage.inputTokens} tokens read, ${usage.outputTokens} written.`));
    const said = messages.filter(({ role }) => role === "user").length;
    return () => {
      const ran = listCalls(stage, "talker", "bash").filter(({ outcome }) => outcome === "ok");
      // The record names the person who approved.
      const decided = ran.filter(({ decidedBy }) => decidedBy === "the demo");
      const calls = { ran: ran.length, decided: decided.length };
      const isAsked = calls.ran > 0 && calls.decided === calls.ran && asked.includes("bash");
      return [
        check("the conversation has both things that were said", said === SAID.length, { said }),
        check("bash ran, and after a yes alone", isAsked, calls),
      ];
    };
  },
};
