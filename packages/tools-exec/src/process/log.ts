import type { ToolResult } from "@haft/plugin-sdk";
import { DEFAULT_LOG_LINES } from "../defaults.ts";
import type { LinePage } from "../output/output-lines.ts";
import { joinRows } from "../output/screen-text.ts";
import { throwIfLost } from "../sessions/command-lost.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { textResult, type ProcessLogDetails, sessionDetails } from "./process-details.ts";

const PAGE_CHARACTERS = 30 * 1024;

export async function logSession(
  session: CommandSession,
  { offset, limit }: { offset?: number; limit?: number },
): Promise<ToolResult<ProcessLogDetails>> {
  session.acknowledge();
  const isTail = offset === undefined && limit === undefined;
  const wanted = {
    first: offset ?? -(limit ?? DEFAULT_LOG_LINES),
    count: limit ?? (isTail ? DEFAULT_LOG_LINES : Number.MAX_SAFE_INTEGER),
  };
  const page =
    (await terminalPage(session, wanted)) ??
    (await session.lines.page(wanted.first, wanted.count, PAGE_CHARACTERS));
  await session.refresh();
  await throwIfLost(session, { missed: session.info.output.total > 0 });
  const { first, totalLines, totalChars, lines } = page;
  const body = lines.length > 0 ? lines.join("\n") : emptyText(page, offset);
  const note = noteOn(page, wanted.count, isTail);
  return textResult(note === "" ? body : `${body}\n\n${note}`, {
    ...sessionDetails(session),
    total: totalLines,
    totalLines,
    totalChars,
    offset: first,
    lines: lines.length,
  });
}

interface Wanted {
  first: number;
  count: number;
}

/** Shows the screen if the terminal still has all lines, else the lines of the log. */
async function terminalPage(
  session: CommandSession,
  { first, count }: Wanted,
): Promise<LinePage | undefined> {
  if (!session.info.pty) return undefined;
  const { snapshot, start: firstByte } = await session.terminal.readScreen();
  if (!snapshot.isFullScreen && (firstByte > 0 || snapshot.removed > 0)) return undefined;
  const all = snapshot.rows.length === 0 ? [] : joinRows(snapshot.rows).split("\n");
  const start = Math.min(first < 0 ? Math.max(0, all.length + first) : first, all.length);
  const lines: string[] = [];
  let characters = 0;
  for (const line of all.slice(start, start + count)) {
    characters += line.length + 1;
    if (lines.length > 0 && characters > PAGE_CHARACTERS) break;
    lines.push(line);
  }
  const totalChars = all.reduce((sum, line) => sum + line.length + 1, 0);
  return { lines, first: start, totalLines: all.length, totalChars };
}

function emptyText({ totalLines }: LinePage, offset: number | undefined): string {
  return totalLines === 0 ? "(no output yet)" : `(no line ${offset}: there are ${totalLines})`;
}

function noteOn({ first, lines, totalLines }: LinePage, count: number, isTail: boolean): string {
  const next = first + lines.length;
  const wasCut = next < Math.min(totalLines, first + count);
  if (wasCut) return `[lines ${first}–${next - 1} of ${totalLines}; continue with offset=${next}]`;
  return isTail && first > 0
    ? `[last ${lines.length} of ${totalLines} lines; offset and limit show others]`
    : "";
}
