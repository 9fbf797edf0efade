export type { ReplayedCall } from "../replay/compare.ts";
export { normaliseText } from "../replay/normalise.ts";
export type { OpeningFiles } from "../replay/opening-files.ts";
export { replanCall } from "../replay/replan-call.ts";
export { replayRun } from "../replay/replay-run.ts";
export { type ReplanCall, type SimulatedDecision, simulateDecisions } from "../replay/simulate-decisions.ts";
export { type ProgramWarning, inspectPrograms, programWarnings } from "../review/program-warnings.ts";
