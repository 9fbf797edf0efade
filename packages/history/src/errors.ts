import { defineErrors } from "@haft/core";

/** The source of docs/reference/errors.md. */
export const historyError = /* @__PURE__ */ defineErrors(({ operational }) => ({
  REPLAY_UNAVAILABLE: operational(
    "The calls cannot be replayed here: all of them are commands and there is no sandbox, or their files are unknown. Nothing ran.",
    "Check sandboxes with haft sandbox doctor, name a folder with the original files with --files, or compare only decisions with --policy, which runs nothing.",
    "none",
  ),
  REWIND_BUSY: {
    category: "operational",
    fix: "Wait for the call, or end its session, and try again.",
    receipt: "none",
  },
  RUN_ELSEWHERE: {
    category: "input",
    fix: "Name the folder of the run with `--workspace`.",
    receipt: "none",
  },
  RUN_NOT_FOUND: {
    category: "input",
    fix: "`haft ledger list --all` lists all runs, and `haft ledger show RUN` the calls of a run.",
    receipt: "none",
  },
}));
