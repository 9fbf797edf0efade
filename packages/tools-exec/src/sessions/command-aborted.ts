import { HaftError } from "@haft/plugin-sdk";
import { commandToolError } from "../errors.ts";

/** The call was aborted while its command ran. */
export function commandAborted(): HaftError {
  return commandToolError(
    "COMMAND_ABORTED",
    "The call was aborted, and its command was ended, with everything that carries its mark.",
  );
}

/** Was a start taken back after the command may have run for a moment? */
export function wasTakenBack(thrown: unknown): boolean {
  return HaftError.is(thrown) && thrown.code === "ABORTED" && thrown.receipt === "unknown";
}
