import { defineErrors } from "@haft/core";

/** A source of docs/reference/errors.md. Another package explains entries without a meaning. */
export const historyError = /* @__PURE__ */ defineErrors(({ operational }) => ({
  REPLAY_UNAVAILABLE: operational(
    "Calls were to be made again, and that cannot be done here: all of them are commands and there is no sandbox, or the files they worked on are not known. Nothing ran.",
    "See haft sandbox doctor for sandboxes; --files names a folder with the files as they were; --policy compares decisions without running anything.",
    "none",
  ),
  REWIND_BUSY: {
    category: "operational",
    fix: "Wait for it, or end that session, and try again.",
    receipt: "none",
  },
  RUN_ELSEWHERE: { category: "input", fix: "Name its folder with `--workspace`.", receipt: "none" },
  RUN_NOT_FOUND: {
    category: "input",
    fix: "`haft ledger list --all` shows the runs there are, `haft ledger show RUN` the calls of one.",
    receipt: "none",
  },
}));
