import { expect, test } from "vitest";
import { toAISDK } from "../../src/ai-sdk/index.ts";
import { toOpenAIAgents } from "../../src/openai-agents/index.ts";
import { openSession } from "../support/open-session.ts";

const bridges = { toAISDK, toOpenAIAgents } as unknown as Record<string, (...given: unknown[]) => unknown>;

for (const [name, bridge] of Object.entries(bridges)) {
  test.for<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a promise, since await is missing", openSession([])],
    ["a host", { openSession }],
  ])(`${name} says what it takes when it is given %s`, ([, given]) => {
    const error = expect.objectContaining({
      code: "BRIDGE_INVALID",
      message: `${name} takes a session.`,
      fix: expect.stringContaining("host.openSession()"),
    });
    expect(() => bridge(given)).toThrow(error);
  });

  test.for<[string, unknown, RegExp]>([
    ["a word of the other bridge", { approvals: name === "toAISDK" ? "agents" : "ai-sdk" }, /does not know/],
    ["a misspelled option", { approval: "session" }, /no option "approval"/],
    ["a word instead of options", "ai-sdk", /are no object/],
    ["null", null, /are no object/],
  ])(`${name} refuses %s`, async ([, options, message]) => {
    const session = await openSession([]);
    expect(() => bridge(session, options)).toThrow(message);
    expect(() => bridge(session, { approvals: undefined })).not.toThrow();
    await session.close();
  });
}
