import { contentToText, type ToolResult } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { bypassCapture } from "@haft/plugin-loader/internal/output";
import { ShownOutput } from "./shown-output.ts";
import { StatusLine, type StatusTerminal } from "./status-line.ts";

export interface OutputStreams {
  output?: { write(text: string): unknown } | undefined;
  status?: StatusTerminal | undefined;
}

export interface LiveCall {
  readonly hasShown: boolean;
  /** Returns the unprinted part of the result. */
  end(result: string): string;
}

export function toOutputStreams({
  stdout,
  stderr,
}: Pick<NodeJS.Process, "stdout" | "stderr">): OutputStreams {
  const isClever = process.env["TERM"] !== "dumb";
  return {
    output: stdout.isTTY ? stdout : undefined,
    status: stderr.isTTY && isClever ? stderr : undefined,
  };
}

/** Follows the running call with this id, else the next call. */
export function followCall(
  session: Session,
  name: string,
  { output, status }: OutputStreams,
  toolCallId?: string,
): LiveCall {
  const shown = new ShownOutput();
  const line = status && new StatusLine(status, name);
  if (toolCallId !== undefined) line?.begin();
  const unsubscribe = session.subscribe((event) => {
    if (toolCallId !== undefined && (!("toolCallId" in event) || event.toolCallId !== toolCallId)) return;
    // The question uses the same terminal.
    if (event.type === "approval-requested") line?.end();
    if (event.type === "tool-start") line?.begin();
    if (event.type !== "tool-update") return;
    const { partial } = event;
    const added = addedBy(partial);
    if (added !== undefined && output !== undefined) {
      shown.add(added);
      const write = (text: string): void => void bypassCapture(() => output.write(text));
      if (line === undefined) write(added);
      else line.writeAbove(added, write);
    }
    line?.setText(contentToText(partial.content));
  });
  return {
    get hasShown() {
      return !shown.isEmpty;
    },
    end(result) {
      line?.end();
      unsubscribe();
      return shown.getRemainder(result);
    },
  };
}

function addedBy({ details }: ToolResult): string | undefined {
  const added = (details as { added?: unknown } | undefined)?.added;
  return typeof added === "string" && added !== "" ? added : undefined;
}
