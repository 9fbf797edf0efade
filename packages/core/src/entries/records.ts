// Entry for packages of this repository that read recorded calls. Not public.
export { maskAndTruncate, maskSecrets, toResultHead } from "../kernel/recording/mask-value.ts";
export { reevaluateCall, type Reevaluation, isPartial } from "../kernel/recording/reevaluate-call.ts";
export { findRunToResume } from "../kernel/recording/start-recording.ts";
export type { RewoundCall } from "../session/record-rewind.ts";
export { recordRewind } from "../session/record-rewind.ts";
export { isRewind, openRewindCall } from "../session/rewind-call.ts";
