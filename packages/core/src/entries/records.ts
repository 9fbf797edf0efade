// What is done with calls that were recorded, apart from the rest: a host that only runs calls does not load it.
// For the packages beside this one. Not public: it may change with any version.
export { maskAndTruncate, maskSecrets, toResultHead } from "../kernel/recording/mask-value.ts";
export { reevaluateCall, type Reevaluation, isPartial } from "../kernel/recording/reevaluate-call.ts";
export type { RewoundCall } from "../session/record-rewind.ts";
export { recordRewind } from "../session/record-rewind.ts";
export { isRewind, openRewindCall } from "../session/rewind-call.ts";
