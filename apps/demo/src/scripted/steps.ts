import type { Reply } from "./chat.ts";
import type { Conversation, Exchange } from "./conversation.ts";

/** What scripts are made of. */

export function say(text: string): Reply {
  return { text };
}

export function call(name: string, args: Record<string, unknown>, text?: string): Reply {
  return { calls: [{ name, arguments: args }], ...(text === undefined ? {} : { text }) };
}

/** The last call of a tool. */
export function last({ exchanges }: Conversation, tool: string): Exchange | undefined {
  return exchanges.findLast(({ name }) => name === tool);
}

/** The calls that came after one. */
export function callsAfter({ exchanges }: Conversation, exchange: Exchange): readonly Exchange[] {
  return exchanges.slice(exchanges.indexOf(exchange) + 1);
}
