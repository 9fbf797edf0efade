import { truncate, escapeInvisible } from "@haft/utils";
import { requireKnownOptions } from "../parameters/check-options.ts";

const MAX_SUMMARY = 120;
const MAX_VALUE = 60;

/** Arguments for a summary, the most informative first. */
const SUBJECTS = ["path", "command", "url", "query", "pattern", "node", "to", "sessionId", "id", "name"];

/**
 * Summarizes a call in one line of at most 120 characters: `read src/a.ts (lines 10–40)`. Escapes invisible characters. In Markdown, the
 * default, values are inline code. Long values are replaced by their length.
 *
 * @example
 * ```ts run
 * import { summarizeCall } from "@haft/core";
 *
 * summarizeCall("read", { path: "src/a.ts", offset: 10, limit: 31 }); // => "read `src/a.ts` (lines 10–40)"
 * summarizeCall("process", { action: "kill", id: "p1" }, { format: "plain" }); // => "process kill p1"
 * ```
 */
export function summarizeCall(
  toolName: string,
  args: unknown,
  options: { format?: "markdown" | "plain" } = {},
): string {
  requireKnownOptions<typeof options>("summarizeCall", options, { format: true });
  const quote = options.format === "plain" ? (value: string) => value : inlineCode;
  const members = typeof args === "object" && args !== null ? { ...(args as Record<string, unknown>) } : {};
  let line = truncate(escapeInvisible(toolName), 48);
  const { action } = members;
  if (typeof action === "string" && /^[\w-]{1,24}$/.test(action)) {
    line += ` ${action}`;
    delete members["action"];
  }
  const subject = SUBJECTS.find((name) => typeof members[name] === "string" && members[name] !== "");
  if (subject !== undefined) {
    line += ` ${quote(truncate(escapeInvisible(truncate(String(members[subject]), MAX_VALUE)), MAX_VALUE))}`;
    delete members[subject];
  }
  const notes: string[] = [];
  for (const note of [...lineRange(members), ...describeMembers(members, quote)]) {
    if (line.length + notes.join(", ").length + note.length + 5 > MAX_SUMMARY) break;
    notes.push(note);
  }
  return notes.length === 0 ? line : `${line} (${notes.join(", ")})`;
}

function lineRange(members: Record<string, unknown>): string[] {
  const { offset, limit } = members;
  const counts = [offset, limit].every((value) => value === undefined || Number.isInteger(value));
  if (!counts || (offset === undefined && limit === undefined)) return [];
  delete members["offset"];
  delete members["limit"];
  if (typeof limit !== "number") return [`from line ${Number(offset)}`];
  const from = typeof offset === "number" ? offset : 1;
  return [limit === 1 ? `line ${from}` : `lines ${from}–${from + limit - 1}`];
}

function describeMembers(members: Record<string, unknown>, quote: (value: string) => string): string[] {
  const notes: string[] = [];
  for (const name of Object.keys(members).slice(0, 8)) {
    const value = members[name];
    if (value === undefined || value === null) continue;
    const label = truncate(escapeInvisible(truncate(name, 24)), 24);
    if (Array.isArray(value)) notes.push(`${value.length} ${quote(label)}`);
    else if (typeof value === "object") notes.push(quote(`${label}={…}`));
    else if (typeof value !== "string") notes.push(quote(`${label}=${truncate(`${value as number}`, 24)}`));
    else if (value.length > 24) notes.push(`${quote(label)} of ${value.length} characters`);
    else notes.push(quote(`${label}=${escapeInvisible(value)}`));
  }
  return notes;
}

function inlineCode(value: string): string {
  const text = value.replace(/`{3,}/g, "\\u{60}…");
  const delimiter = "`".repeat(text.includes("``") ? 3 : text.includes("`") ? 2 : 1);
  const pad = text.startsWith("`") || text.endsWith("`") || text.trim() === "" ? " " : "";
  return `${delimiter}${pad}${text}${pad}${delimiter}`;
}
