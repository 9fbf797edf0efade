import { expect, test } from "vitest";
import { toAISDK } from "../../src/ai-sdk/index.ts";
import { toAnthropic } from "../../src/anthropic/index.ts";
import { toGemini } from "../../src/gemini/index.ts";
import { toOpenAIAgents } from "../../src/openai-agents/index.ts";
import { toOpenAI } from "../../src/openai/index.ts";
import { toPi } from "../../src/pi/index.ts";
import { openSession } from "../support/open-session.ts";

type Bridge = (...given: unknown[]) => unknown;

/** Each with an option, and a word that it does not know. */
const bridges = {
  toAISDK: [toAISDK, "approvals", "agents"],
  toOpenAIAgents: [toOpenAIAgents, "approvals", "ai-sdk"],
  toPi: [toPi, "approvals", "agents"],
  toOpenAI: [toOpenAI, "api", "completions"],
  toGemini: [toGemini, "images", "outside"],
} as unknown as Record<string, [Bridge, string, string]>;

for (const [name, [bridge, option, word]] of Object.entries(bridges)) {
  test.for<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a promise, since await is missing", openSession([])],
    ["a host", { openSession }],
  ])(`${name} states its accepted input if it is given %s`, ([, given]) => {
    const error = expect.objectContaining({
      code: "BRIDGE_INVALID",
      message: `${name} takes a session.`,
      fix: expect.stringContaining("host.openSession()"),
    });
    expect(() => bridge(given)).toThrow(error);
  });

  test.for<[string, unknown, RegExp]>([
    ["a word of another bridge", { [option]: word }, /does not know/],
    ["a misspelled option", { [`${option}s`]: word }, /has no option/],
    ["a word instead of options", "ai-sdk", /are no object/],
    ["null", null, /are no object/],
  ])(`${name} refuses %s`, async ([, options, message]) => {
    const session = await openSession([]);
    expect(() => bridge(session, options)).toThrow(message);
    expect(() => bridge(session, { [option]: undefined })).not.toThrow();
    await session.close();
  });
}

test("toAnthropic has no options, and takes a session as the others do", () => {
  expect(() => toAnthropic(undefined as never)).toThrow("toAnthropic takes a session.");
});
