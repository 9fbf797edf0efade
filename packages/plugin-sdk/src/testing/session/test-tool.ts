import { type AnyTool, definePlugin, contentToText, type ToolOutcome } from "@haft/core";
import type { RecordedRequest } from "../fakes/fake-network.ts";
import type { TestSessionOptions } from "./test-options.ts";
import { createTestSession } from "./test-session.ts";

/** The result of one call of a tool. */
export interface ToolTestResult {
  /** The outcome of the call. */
  outcome: ToolOutcome;
  /** The text that the model reads. */
  text: string;
  /** All files afterwards, as text by path. */
  files: Readonly<Record<string, string>>;
  /** Every request that the call made. */
  requests: readonly RecordedRequest[];
}

/**
 * Calls one tool once, in a new test session, and returns everything that came of it.
 *
 * @example
 * ```ts run
 * import { defineTool, text, Type } from "@haft/plugin-sdk";
 * import { testTool } from "@haft/plugin-sdk/testing";
 *
 * const weather = defineTool({
 *   name: "weather",
 *   description: "Tells the weather at a station.",
 *   parameters: Type.Object({ station: Type.String() }),
 *   effects: ["network"],
 *   hosts: ["api.example.com"],
 *   async execute(_toolCallId, { station }, signal, _onUpdate, { fetch }) {
 *     const answer = await fetch(`https://api.example.com/${station}`, { signal });
 *     return { content: [text(await answer.text())], details: { status: answer.status } };
 *   },
 * });
 * const result = await testTool(weather, { station: "EDDM" }, { network: { "https://api.example.com/*": "21 °C" } });
 * result.text; // => "21 °C"
 * result.requests.map(({ url }) => url); // => ["https://api.example.com/EDDM"]
 * ```
 */
export async function testTool(
  tool: AnyTool,
  args: unknown = {},
  options: TestSessionOptions = {},
): Promise<ToolTestResult> {
  const plugin = definePlugin({ id: "tool-under-test", tools: [tool] });
  const session = await createTestSession(plugin, options);
  try {
    const outcome = await session.call(tool.name, args);
    return {
      outcome,
      text: contentToText(outcome.content),
      files: await session.files.all(),
      requests: session.requests,
    };
  } finally {
    await session.close();
  }
}
