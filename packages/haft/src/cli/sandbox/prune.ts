import { messageOf } from "@haft/core";
import type { SessionValues } from "../session-arguments.ts";
import { findSandboxes, sayUnasked } from "./list.ts";

/** `haft sandbox prune`: exit code 1 when one could not be removed, or a backend not be asked. */
export async function pruneSandboxes(
  values: SessionValues & { json?: boolean; all?: boolean },
): Promise<number> {
  const { json, all } = values;
  const { found, unasked } = await findSandboxes(values);
  const wanted = found.filter(({ ref }) => all === true || ref.state === "stopped");
  const removed: string[] = [];
  const failed: { key: string; reason: string }[] = [];
  for (const { backend, ref } of wanted) {
    try {
      if (await backend.destroy(ref)) removed.push(ref.key);
    } catch (thrown) {
      failed.push({ key: ref.key, reason: messageOf(thrown) });
    }
  }
  const kept = found.length - wanted.length;
  if (json) console.log(JSON.stringify({ removed, failed, kept, unasked }));
  else {
    console.log(
      `Removed ${removed.length}, kept ${kept}${kept > 0 && !all ? " that run (--all removes them, too)" : ""}.`,
    );
    for (const { key, reason } of failed) console.error(`haft: ${key} could not be removed: ${reason}`);
    sayUnasked(unasked);
  }
  return failed.length + unasked.length === 0 ? 0 : 1;
}
