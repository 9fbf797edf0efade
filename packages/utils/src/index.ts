export { isHostPattern, matchesHostName, normalizeHost } from "./host-name.ts";
export { didYouMean, editDistance, nearestNames } from "./nearest-names.ts";
export {
  type AbortHandle,
  type TimeoutOptions,
  type Work,
  isThenable,
  lazy,
  untilAborted,
  withTimeout,
} from "./promises.ts";
export { MAX_DELAY_MS, type Timer, describeDuration, startTimer } from "./timer.ts";
export { asRecord, formatBytes, isObject, sha256, truncate } from "./values.ts";
export { escapeInvisible, longestBacktickRun, visibleText } from "./visible-text.ts";
export { type Wildcard, compileWildcard, escapeWildcard, matchesWildcard } from "./wildcard.ts";
export { withoutUndefined } from "./without-undefined.ts";
export { makeFolder } from "./make-folder.ts";
