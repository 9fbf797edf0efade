import type { Session } from "@haft/core/kernel";
import { definePlugin, defineTool, text, type Plugin } from "@haft/plugin-sdk";
import { createArguments, schema } from "./calls.ts";

export const execute = async (_id: string, _args: unknown) => ({ content: [text("ok")], details: {} });

export const noopPlugin: Plugin = definePlugin({
  id: "bench",
  tools: [
    defineTool({
      name: "look",
      description: "Does nothing.",
      parameters: schema as never,
      effects: ["read"],
      aliases: { path: ["file_path", "filePath"] },
      execute,
    }),
  ],
});

/** Past calls differ from measured calls. */
const PAST = 1e9;

/** Gives a session past calls, from one number to another. */
export async function makeCalls(session: Session, count: number, from = 0): Promise<void> {
  for (let call = PAST + from; call < PAST + from + count; call++) {
    const outcome = await session.call({ name: "look", arguments: createArguments(call) });
    if (outcome.kind !== "ok") throw new Error(`The call was refused: ${JSON.stringify(outcome.details)}`);
  }
}
