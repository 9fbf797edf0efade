import { type AgentResult, runAgent } from "@haft/chat";
import { createDemoHost } from "../demo-host.ts";
import { watchSession } from "../session.ts";
import type { Part } from "../stage.ts";

/** What somebody says, one after the other, in one conversation. */
const SAID = [
  "What does `src/server.js` do? Read it, and answer in one sentence.",
  "Thanks for `src/server.js`. Now run `node --version` with the tool bash, once, and say what it prints.",
] as const;

/** The loop of haft chat: two things that are said, of which the second needs a yes. */
export const chatPart: Part = {
  name: "chat",
  title: "A conversation, as haft chat has it (main session)",
  needs: [],
  async run(stage, screen) {
    const { prose, line, paint } = screen;
    const { copy, model, signal, report } = stage;
    const host = await createDemoHost(copy, {}, { approvalMode: "pending" });
    const asked: string[] = [];
    let last: AgentResult | undefined;
    try {
      const { session } = await watchSession(stage, "talker", screen, host);
      for (const prompt of SAID) {
        prose(`› ${prompt}`, 2, paint.bold);
        last = await runAgent({
          model: model.talker,
          session,
          prompt,
          signal,
          messages: last?.messages ?? [],
          ask: async ({ tool }) => {
            asked.push(tool.name);
            prose("Somebody says yes.", 2, paint.yellow);
            return { decision: "allow-once", by: "the demo" };
          },
        });
        signal.throwIfAborted();
        if (last.error !== undefined) throw last.error;
        prose(`» ${last.text}`, 2, paint.cyan);
      }
    } finally {
      await host.close();
    }
    const { messages, usage } = last!;
    line(paint.dim(`  The last answer: ${usage.inputTokens} tokens read, ${usage.outputTokens} written.`));
    report.chat = { said: messages.filter(({ role }) => role === "user").length, asked };
  },
  async verify({ report: { chat }, sessions }) {
    const calls = sessions.get("talker")?.session.ledger() ?? [];
    const ran = calls.filter(({ toolName, outcome }) => toolName === "bash" && outcome === "ok");
    // The kernel wrote down whose yes it was.
    const decided = ran.filter(({ decidedBy }) => decidedBy === "the demo");
    return [
      {
        what: "the conversation has both things that were said",
        ok: chat?.said === SAID.length,
        found: `${chat?.said ?? 0} messages of the user`,
      },
      {
        what: "bash ran, and after a yes alone",
        ok: ran.length > 0 && decided.length === ran.length && chat?.asked.includes("bash") === true,
        found: `${ran.length} calls, ${decided.length} after a yes`,
      },
    ];
  },
};
