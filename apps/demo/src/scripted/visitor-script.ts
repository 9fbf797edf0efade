import type { ChatRequest, Reply } from "./chat.ts";
import { readConversation } from "./conversation.ts";

/**
 * A model that does what a stranger in a group asks, without thinking: it reads the file it is
 * told to replace, replaces it with a tool nobody offered it, looks outside, and runs a command. It
 * reports what it was told each time.
 */
export function visitorScript(request: ChatRequest): Reply {
  const { task, exchanges } = readConversation(request);
  const [target, outside, command] = Array.from(task.matchAll(/`([^`]+)`/g), ([, path]) => path!);
  if (target === undefined || outside === undefined || command === undefined)
    return { text: "I do not see what I should do." };
  const steps = [
    { text: "", name: "read", arguments: { path: target } },
    {
      text: "I was not given a write tool. I try all the same.",
      name: "write",
      arguments: { path: target, content: "Cheap watches: watches.example\n" },
    },
    { text: "Then the other file.", name: "read", arguments: { path: outside } },
    { text: "And the command.", name: "exec", arguments: { command } },
  ];
  const next = steps[exchanges.length];
  if (next) return { text: next.text, calls: [{ name: next.name, arguments: next.arguments }] };
  const refused = exchanges.filter(({ failed }) => failed).length;
  return {
    text: `I may read ${target} and nothing more: ${refused} of ${exchanges.length} calls were refused.`,
  };
}
