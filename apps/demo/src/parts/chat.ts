import type { AgentResult } from "@haft/chat";
import { check } from "../look.ts";
import { paint } from "../screen.ts";
import { callsOf, createDemoHost, runAgent, watchSession } from "../session.ts";
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
    stage.report.chat = { said, asked };
    return () => {
      const ran = callsOf(stage, "talker", "bash").filter(({ outcome }) => outcome === "ok");
      // The kernel wrote down whose yes it was.
      const decided = ran.filter(({ decidedBy }) => decidedBy === "the demo");
      const once = ran.length > 0 && decided.length === ran.length && asked.includes("bash");
      return [
        check(
          "the conversation has both things that were said",
          said === SAID.length,
          `${said} messages of the user`,
        ),
        check("bash ran, and after a yes alone", once, `${ran.length} calls, ${decided.length} after a yes`),
      ];
    };
  },
};
