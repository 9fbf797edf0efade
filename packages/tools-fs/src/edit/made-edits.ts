import { sha256 } from "../content/sha256.ts";
import type { EditRequest } from "./edit-request.ts";

/** Edits remembered, newest last. */
const MOST = 1_000;

/** Held under a global symbol, so that two copies of this package remember together. */
const MADE = Symbol.for("haft.made-edits");

function made(): Set<string> {
  const holder = globalThis as { [MADE]?: Set<string> };
  holder[MADE] ??= new Set();
  return holder[MADE];
}

/** Notes that this very edit was made in a file, so that its repetition after a lost reply is known as one. */
export function rememberEdit(file: string, edit: EditRequest): void {
  const edits = made();
  const key = keyOf(file, edit);
  edits.delete(key);
  edits.add(key);
  if (edits.size > MOST) edits.delete(edits.values().next().value as string);
}

/** @param file The file's key in the queue. */
export function wasMade(file: string, edit: EditRequest): boolean {
  return made().has(keyOf(file, edit));
}

function keyOf(file: string, { oldText, newText, replaceAll, expectedCount }: EditRequest): string {
  return sha256(JSON.stringify([file, oldText, newText, replaceAll, expectedCount]), "base64");
}
