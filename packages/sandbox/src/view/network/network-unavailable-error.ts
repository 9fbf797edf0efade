import type { HaftError } from "@haft/core";
import { sandboxError } from "../../errors.ts";

export function networkUnavailableError(
  why: string,
  options: { fix?: string; cause?: unknown } = {},
): HaftError {
  return sandboxError(
    "NETWORK_UNAVAILABLE",
    `The network of contained commands was not set up: ${why}.`,
    options,
  );
}
