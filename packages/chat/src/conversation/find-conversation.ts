import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type ReadConversation, readConversation } from "./read-conversation.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

export function findConversation(
  folder: string,
  sessionKey: string,
  run?: string,
): ReadConversation | undefined {
  for (const file of filesOf(folder)) {
    const read = readIfThere(file);
    if (read === undefined) continue;
    if (run === undefined ? read.head.sessionKey === sessionKey : read.runId?.startsWith(run) === true)
      return read;
  }
  return undefined;
}

/** Deletes conversations unused for `days`, then the oldest above `bytes` in total. */
export function pruneConversations(
  folder: string,
  { days, bytes }: { days: number; bytes: number },
  now = Date.now(),
): void {
  let total = 0;
  for (const file of filesOf(folder)) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) continue;
    const isTooMuch = total > 0 && total + found.size > bytes;
    if (isTooMuch || now - found.mtimeMs > days * DAY_MS) rmSync(file, { force: true });
    else total += found.size;
  }
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^[0-9a-z]{18}\.jsonl$/.test(name))
    .map((name) => join(folder, name))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.at - a.at || b.file.localeCompare(a.file))
    .map(({ file }) => file);
}

/** Another process may delete it. */
function readIfThere(file: string): ReadConversation | undefined {
  try {
    return readConversation(file);
  } catch {
    return undefined;
  }
}
