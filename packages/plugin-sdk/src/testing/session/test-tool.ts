import { type AnyTool, definePlugin, contentToText, type ToolOutcome } from "@haft/core";
import type { RecordedRequest } from "../fakes/fake-network.ts";
import type { TestSessionOptions } from "./test-options.ts";
import { createTestSession } from "./test-session.ts";

/** Describes one call of a tool. */
export interface ToolTestResult {
  /** Contains the outcome. */
  outcome: ToolOutcome;
  /** Contains the text for the model. */
  text: string;
  /** Contains all files afterwards, as text by path. */
  files: Readonly<Record<string, string>>;
  /** Contains every request of the call. */
  requests: readonly RecordedRequest[];
}

/**
 * Calls one tool once, in a new test session, and returns its results.
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
