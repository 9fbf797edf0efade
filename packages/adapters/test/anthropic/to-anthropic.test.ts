import type {
  ContentBlock,
  Message,
  MessageParam,
  StopReason,
  Tool,
} from "@anthropic-ai/sdk/resources/messages";
import { expect, test } from "vitest";
import { toAnthropic } from "../../src/anthropic/index.ts";
import { golden } from "../support/golden.ts";
import { openSession } from "../support/open-session.ts";
import { providerTools } from "../support/provider-tools.ts";

const open = (setup = {}) => openSession([providerTools], setup);

function use(id: string, name: string, input: unknown): ContentBlock {
  return { type: "tool_use", id, name, input, caller: { type: "direct" } };
}

function message(content: ContentBlock[], stop_reason: StopReason = "tool_use"): Message {
  return { role: "assistant", type: "message", content, stop_reason } as Message;
}

test("tools and a whole turn, as the SDK has their types", async () => {
  await using session = await open();
  const { tools, answer, notes } = toAnthropic(session);
  const offered: Tool[] = tools;
  const said = message([
    { type: "thinking", thinking: "Hm.", signature: "s" },
    { type: "text", text: "I look.", citations: null },
    use("toolu_1", "greet", { who: "Ada" }),
    use("toolu_2", "photo", {}),
    use("toolu_3", "scan", {}),
    use("toolu_4", "foto", {}),
  ]);
  const { messages } = await answer(said);
  const conversation: MessageParam[] = [{ role: "user", content: "Go." }, ...messages];
  const { sent, file } = golden(import.meta.dirname, "messages", { tools: offered, notes, conversation });
  expect(sent).toEqual(file);
});

test.each(["max_tokens", "model_context_window_exceeded"] as const)(
  "a message that ended by %s: its last call is not run, the others are",
  async (reason) => {
    await using session = await open();
    const { answer } = toAnthropic(session);
    const cut = message([use("a", "send", { to: "ada" }), use("b", "send", { to: "a" })], reason);
    const { outcomes } = await answer(cut);
    expect(outcomes).toMatchObject([
      { kind: "ok" },
      {
        kind: "error",
        code: "INVALID_ARGUMENTS",
        content: [{ type: "text", text: expect.stringContaining("token limit") }],
      },
    ]);
    expect(session.ledger()).toHaveLength(2);
  },
);

test("a message that ended by its limit, but in a text behind its calls, is run", async () => {
  await using session = await open();
  const { answer } = toAnthropic(session);
  const text: ContentBlock = { type: "text", text: "and", citations: null };
  const { outcomes } = await answer(message([use("a", "send", { to: "ada" }), text], "max_tokens"));
  expect(outcomes).toMatchObject([{ kind: "ok" }]);
});
