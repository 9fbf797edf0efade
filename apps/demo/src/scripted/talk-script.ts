import type { ChatRequest, Reply } from "./chat.ts";
import { readConversation } from "./conversation.ts";
import { call, last, say } from "./steps.ts";

/** A model that looks into a file it is asked about, and then, told to, starts a program. It says what it was told. */
export function talkScript(request: ChatRequest): Reply {
  const seen = readConversation(request);
  const [path, command] = Array.from(seen.task.matchAll(/`([^`]+)`/g), ([, quoted]) => quoted!);
  if (command !== undefined) {
    const ran = last(seen, "bash");
    if (ran === undefined) return call("bash", { command });
    return say(ran.failed ? `I was not allowed to: ${ran.answer}` : `Node says ${ran.answer.trim()}.`);
  }
  const read = last(seen, "read");
  if (path === undefined) return say("I do not see which file.");
  if (read === undefined) return call("read", { path }, "I look into it.");
  return say(`It has ${read.answer.split("\n").length} lines, and serves the invoices over HTTP.`);
}
