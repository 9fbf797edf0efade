import type { ChatRequest, Reply } from "./chat.ts";
import { readConversation } from "./conversation.ts";
import { checkRepair, findCause, lastRead, MANIFEST, scriptOf } from "./repair-script.ts";
import { call, say } from "./steps.ts";

/** The model of the repair, with half of its task: it repairs the bug, and is done when the tests pass. */
export function sandboxScript(request: ChatRequest): Reply {
  const seen = readConversation(request);
  const failed = seen.exchanges.at(-1);
  if (failed?.failed)
    return say(`I stop here, because ${failed.name} failed: ${failed.answer.slice(0, 120)}`);
  const manifest = lastRead(seen, MANIFEST);
  if (!manifest) return call("read", { file_path: MANIFEST }, "How are the tests run?");
  const test = scriptOf(manifest.answer, "test");
  if (test === undefined) return say(`${MANIFEST} does not say how the tests are run.`);
  return (
    findCause(seen, test) ?? checkRepair(seen, test) ?? say("Repaired, without ever leaving the sandbox.")
  );
}
