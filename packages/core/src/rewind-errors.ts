import type { ErrorFacts } from "./contract/define-errors.ts";
import type { EffectReceipt, ErrorCategory } from "./contract/errors.ts";

type By = Readonly<
  Record<ErrorCategory, (meaning: string, fix: string, receipt?: EffectReceipt) => ErrorFacts>
>;

/** Those of `session.rewind`, a part of the catalogue. */
export const rewindErrors = (by: By) => ({
  REWIND_BUSY: by.operational(
    "A call still runs that may change files, so they were not put back.",
    "Wait for it, or abort it, and rewind again.",
    "none",
  ),
  REWIND_CONFLICT: by.operational(
    "In the record of a rewind: something else changed files meanwhile, so nothing was put back.",
    "Look at the files it names; `--skip-conflicts` (`skipConflicts`) puts the rest back.",
    "none",
  ),
  REWIND_DENIED: by.policy(
    "Putting files back is writing them, and the policy of the session does not let it write one of them, or wants somebody asked. Nothing was changed.",
    "The operator can do it: `haft undo SESSION --to CALL`.",
    "none",
  ),
  REWIND_UNAVAILABLE: by.input(
    "No journal keeps what the session changed.",
    "Give the host a `stateDir`.",
    "none",
  ),
});
