import { type AnyTool, definePlugin, contentToText, type ToolOutcome } from "@haft/core";
import type { RecordedRequest } from "../fakes/fake-network.ts";
import type { TestSessionOptions } from "./test-options.ts";
import { createTestSession } from "./test-session.ts";

/** What came of one call of a tool. */
export interface ToolTestResult {
  /** How it ended. */
  outcome: ToolOutcome;
  /** What the model reads. */
  text: string;
  /** All files afterwards, as text. */
  files: Readonly<Record<string, string>>;
  /** Every request that it made. */
  requests: readonly RecordedRequest[];
}

/** Calls one tool once, in a session of its own: for tests that need no more. */
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
