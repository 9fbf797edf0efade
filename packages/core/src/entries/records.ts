// What is done with calls that were recorded, apart from the rest: a host that only runs calls does not load it.
// For the packages beside this one. Not public: it may change with any version.
export { coverAndCut, coverValue, headOf } from "../kernel/recording/cover-value.ts";
export { decideAgain, type DecidedAgain, isPartial } from "../kernel/recording/decide-again.ts";
export type { RewoundCall } from "../session/record-rewind.ts";
export { recordRewind } from "../session/record-rewind.ts";
export { isRewind, openRewindCall } from "../session/rewind-call.ts";
