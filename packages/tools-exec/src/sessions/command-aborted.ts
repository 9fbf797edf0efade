import { HaftError, type ProcessInfo } from "@haft/plugin-sdk";
import { commandToolError } from "../errors.ts";
import { formatEndedProcesses, formatLeftProcesses } from "./describe-end.ts";

/** @param info the end of the command, if known */
export function commandAbortedError(info: ProcessInfo | undefined): HaftError {
  const [ended, left] =
    info === undefined ? ["", ""] : [formatEndedProcesses(info), formatLeftProcesses(info)];
  return commandToolError(
    "ABORTED",
    `The call was aborted, and its command was ended${ended}. ${left}`.trimEnd(),
  );
}

export function isStartAborted(thrown: unknown): boolean {
  return HaftError.is(thrown) && thrown.code === "ABORTED" && thrown.receipt === "unknown";
}
