import type { ToolResult } from "@haft/plugin-sdk";
import { throwIfLost } from "../sessions/command-lost.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { textResult, type ProcessSessionDetails, sessionDetails } from "./process-details.ts";
import { nothingToSendError } from "./session-errors.ts";

export async function resizeTerminal(
  session: CommandSession,
  wanted: { cols?: number; rows?: number },
): Promise<ToolResult<ProcessSessionDetails>> {
  if (wanted.cols === undefined && wanted.rows === undefined)
    throw nothingToSendError("resize", "cols and rows");
  await throwIfLost(session);
  const { cols, rows } = session.terminal.size;
  const size = { cols: wanted.cols ?? cols, rows: wanted.rows ?? rows };
  await session.processes.resize(session.info.id, size);
  await session.terminal.resize(size);
  return textResult(`Resized session ${session.id} to ${size.cols}x${size.rows}.`, sessionDetails(session));
}
