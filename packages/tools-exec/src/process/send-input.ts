import type { ToolResult } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { setTimeout as sleep } from "node:timers/promises";
import { commandToolError } from "../errors.ts";
import { encodeInput, type KeyInput } from "../keys/encode-input.ts";
import { type KeyModes, PLAIN_KEYS } from "../keys/encode-key.ts";
import { throwIfLost } from "../sessions/command-lost.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { textResult, type ProcessInputDetails, sessionDetails } from "./process-details.ts";
import { nothingToSendError } from "./session-errors.ts";

type Answer = Promise<ToolResult<ProcessInputDetails>>;

/** Longer than programs wait for the rest of a sequence. */
const ESCAPE_PAUSE_MS = 60;
const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";

export async function writeInput(
  session: CommandSession,
  { data, eof = false }: { data?: string; eof?: boolean },
): Answer {
  if (data === undefined && !eof) throw nothingToSendError("write", "data, or eof to close standard input");
  const bytes = await send(session, Buffer.from(data ?? ""));
  if (eof) await session.processes.closeStdin(session.info.id);
  const closed = eof ? " Submitted EOF to stdin." : "";
  return sent(session, `Wrote ${bytes} bytes to stdin.${closed}`, bytes);
}

export async function sendKeys(session: CommandSession, input: KeyInput): Answer {
  const { parts, warnings } = encodeInput(input, await modesOf(session));
  if (parts.length === 0 && warnings.length === 0)
    throw nothingToSendError("send-keys", "keys, hex or literal");
  await requireInput(session);
  let count = 0;
  for (const [index, part] of parts.entries()) {
    if (index > 0) await sleep(ESCAPE_PAUSE_MS);
    count += await send(session, part);
  }
  const notes = warnings.map((warning) => `\nWarning: ${warning}`).join("");
  return sent(session, `Sent ${count} bytes of keys to session ${session.id}.${notes}`, count, warnings);
}

/** Presses Enter on a terminal. On a pipe, ends the input after optional text. */
export async function submitInput(session: CommandSession, data: string | undefined): Answer {
  if (session.info.pty) {
    const bytes = await send(session, Buffer.from(`${data ?? ""}\r`));
    return sent(session, `Submitted session ${session.id} (sent Enter).`, bytes);
  }
  const bytes = data === undefined ? 0 : await send(session, Buffer.from(data));
  await requireInput(session);
  await session.processes.closeStdin(session.info.id);
  return sent(
    session,
    `${bytes === 0 ? "" : `Wrote ${bytes} bytes to stdin. `}Submitted EOF to stdin.`,
    bytes,
  );
}

/** Sends a paste, which editors and shells do not treat as typing. Uses brackets if the program requested them, unless the call decides. */
export async function pasteText(
  session: CommandSession,
  { text, bracketed }: { text?: string; bracketed?: boolean },
): Answer {
  if (text === undefined || text === "") throw nothingToSendError("paste", "text");
  const isBracketed =
    bracketed ?? (session.info.pty && (await session.terminal.readScreen()).screen.hasBracketedPaste);
  // The text must not be able to end its own paste.
  const safe = isBracketed ? PASTE_START + text.replaceAll(PASTE_END, "") + PASTE_END : text;
  const bytes = await send(session, Buffer.from(safe));
  return sent(session, `Pasted ${text.length} characters.`, bytes);
}

async function modesOf(session: CommandSession): Promise<KeyModes> {
  return session.info.pty ? (await session.terminal.readScreen()).screen.keyModes : PLAIN_KEYS;
}

async function send(session: CommandSession, bytes: Uint8Array): Promise<number> {
  await requireInput(session);
  if (bytes.length > 0) await session.processes.write(session.info.id, bytes);
  session.emptyPolls = 0;
  return bytes.length;
}

async function sent(
  session: CommandSession,
  message: string,
  bytes: number,
  warnings: string[] = [],
): Answer {
  await session.refresh();
  const details = { ...sessionDetails(session), bytes, warnings: warnings.length > 0 ? warnings : undefined };
  return textResult(message, withoutUndefined<ProcessInputDetails>(details));
}

async function requireInput(session: CommandSession): Promise<void> {
  const { id, info } = session;
  await throwIfLost(session);
  if (info.stdin === "open") return;
  const why = info.state === "running" ? "its standard input is closed" : "it has ended";
  throw commandToolError("STDIN_CLOSED", `Session ${id} accepts no input: ${why}.`);
}
