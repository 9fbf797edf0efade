import { type AgentResult, runAgent } from "@haft/chat";
import type { ApprovalRequestRecord } from "@haft/core";
import { createDemoHost } from "../demo-host.ts";
import type { Check } from "../report.ts";
import type { Part, Stage } from "./part.ts";
import { watchSession } from "./watch-session.ts";

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
    const { copy, model, signal, report } = stage;
    const host = await createDemoHost(copy, {}, { approvalMode: "pending" });
    const asked: ApprovalRequestRecord[] = [];
    let last: AgentResult | undefined;
    try {
      const { session } = await watchSession(stage, "talker", screen, host);
      for (const prompt of SAID) {
        screen.prose(`› ${prompt}`, 2, screen.paint.bold);
        last = await runAgent({
          model: model.talker,
          session,
          prompt,
          signal,
          messages: last?.messages ?? [],
          ask: async (request) => {
            asked.push(request);
            screen.prose("Somebody says yes.", 2, screen.paint.yellow);
            return { decision: "allow-once", by: "the demo" };
          },
        });
        signal.throwIfAborted();
        if (last.error !== undefined) throw last.error;
        screen.prose(`» ${last.text}`, 2, screen.paint.cyan);
      }
    } finally {
      await host.close();
    }
    const { inputTokens, outputTokens } = last!.usage;
    screen.line(screen.paint.dim(`  The last answer: ${inputTokens} tokens read, ${outputTokens} written.`));
    report.chat = {
      said: last!.messages.filter(({ role }) => role === "user").length,
      asked: asked.map(({ tool }) => tool.name),
    };
  },
  async verify(stage) {
    return [remembered(stage), ranAfterYes(stage)];
  },
};

function remembered({ report: { chat } }: Stage): Check {
  return {
    what: "the conversation has both things that were said",
    ok: chat?.said === SAID.length,
    found: `${chat?.said ?? 0} messages of the user`,
  };
}

/** The kernel wrote down whose yes it was. */
function ranAfterYes({ report: { chat }, sessions }: Stage): Check {
  const calls = sessions.get("talker")?.session.ledger() ?? [];
  const ran = calls.filter(({ toolName, outcome }) => toolName === "bash" && outcome === "ok");
  const decided = ran.filter(({ decidedBy }) => decidedBy === "the demo");
  return {
    what: "bash ran, and after a yes alone",
    ok: ran.length > 0 && decided.length === ran.length && chat?.asked.includes("bash") === true,
    found: `${ran.length} calls, ${decided.length} after a yes`,
  };
}
