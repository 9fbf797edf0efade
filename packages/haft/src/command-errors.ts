import type { By } from "./inspect-errors.ts";

/** Those of the machine that the command and hosts run on, a part of the catalogue. */
export const commandErrors = (by: By) => ({
  OUTPUT_UNWRITABLE: by.operational(
    "The file that `--out` names cannot be written: the disk is full, or may not be written. A file that was there is as it was.",
    "Make room, or name a file that this user can write.",
    "none",
  ),
  RUNTIME_TOO_OLD: by.operational(
    "The program runs on a Node that lacks what Haft needs.",
    "Run it with a newer Node; `node --version` says which one is started.",
    "none",
  ),
});
