import { isHead, getResultText } from "@haft/history/ledger";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { TextPage } from "../../wire/api.ts";
import type { InspectionContext } from "../inspection-context.ts";
import { findCommand } from "../processes/commands.ts";
import { findProcessId, findCall, toCallKey } from "./call-detail.ts";
import { cutBytes, decodeSameLength } from "./cut-bytes.ts";
import type { LiveOutput } from "./live-output.ts";

interface Stretch {
  from: number;
  max: number;
  wait: number;
  /** Masked text keeps its length, and so offsets. */
  covered: boolean;
}

/** Returns output from the live output, the command, the spool or the ledger, whichever is most complete. */
export async function callOutput(
  looking: InspectionContext,
  live: LiveOutput,
  named: { runId: string; toolCallId: string },
  stretch: Stretch,
  signal: AbortSignal,
): Promise<TextPage | undefined> {
  const running = await live.read(toCallKey(named), stretch, signal);
  if (running?.open === true) return running;
  const call = await findCall(looking, named);
  if (call === undefined) return undefined;
  const { result } = call;
  const name = findProcessId(looking, call);
  const ofCommand =
    name === undefined ? undefined : await commandOutput(looking, named.runId, name, stretch, signal);
  if (ofCommand !== undefined) return ofCommand;
  const text = result === undefined ? "" : getResultText(result);
  const spooled = await spooledOutput(text, stretch);
  if (spooled !== undefined) return spooled;
  if (running !== undefined && (result === undefined || isHead(result))) return running;
  return {
    ...cutBytes(Buffer.from(text), stretch.from, stretch.max),
    dropped: 0,
    open: false,
    source: "ledger",
  };
}

async function commandOutput(
  looking: InspectionContext,
  runId: string,
  name: string,
  { from, max, wait, covered }: Stretch,
  signal: AbortSignal,
): Promise<TextPage | undefined> {
  const command = await findCommand(looking.live(runId), name).catch(() => undefined);
  if (command === undefined) return undefined;
  const { chunks, next, dropped, total, state } = await command.processes.read(command.info.id, from, {
    max,
    waitMs: wait,
    signal,
  });
  const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes));
  const start = next - bytes.length;
  const rest = { total, dropped, open: state === "running", source: "process" } as const;
  if (covered) return { text: decodeSameLength(bytes), from: start, next, ...rest };
  const isLast = next >= total && state !== "running";
  // The next page has a cut character.
  const { next: end, text } = cutBytes(bytes, 0, isLast ? bytes.length : Math.max(1, wholeLength(bytes)));
  return { text, from: start, next: start + end, ...rest };
}

/** Excludes an incomplete last character. */
function wholeLength(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The kernel's name of a spool file; a faked line can only name another. */
const SPOOLED = /Full text: (\/[^\n\]]*\/haft-spool-\w{6}\/result-\d{1,4}\.txt)/;

async function spooledOutput(text: string, { from, max }: Stretch): Promise<TextPage | undefined> {
  const [, path] = SPOOLED.exec(text) ?? [];
  if (path === undefined) return undefined;
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size, uid, mode } = await file.stat();
      if (uid !== process.geteuid?.() || (mode & 0o7777) !== 0o600) return undefined;
      const begin = Math.max(0, Math.min(from, size) - 3);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(max + 8), 0, max + 8, begin);
      const page = cutBytes(buffer.subarray(0, bytesRead), Math.min(from, size) - begin, max);
      return {
        text: page.text,
        from: page.from + begin,
        next: page.next + begin,
        total: size,
        dropped: 0,
        open: false,
        source: "spool",
      };
    } finally {
      await file.close();
    }
  } catch {
    // A session's end removes its spool.
    return undefined;
  }
}
