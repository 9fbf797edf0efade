import type { ErrorBuilders } from "./inspect-errors.ts";

/** Those of the machine that the command and hosts run on, a part of the catalogue. */
export const commandErrors = (by: ErrorBuilders) => ({
  RUNTIME_TOO_OLD: by.operational(
    "The program runs on a Node that lacks what Haft needs.",
    "Run it with a newer Node; `node --version` says which one is started.",
    "none",
  ),
});
