/** A host's milliseconds. */
export interface LinkTimes {
  /** Presence after the last message of a node. */
  readonly aliveMs: number;
  /** Interval of queries about a call. */
  readonly pollMs: number;
  /** Query after an unauthenticated report of no subscriber; also the wait for the answer. */
  readonly retryMs: number;
  /** Transit in addition to a call's time. */
  readonly transitMs: number;
  /** Wait for a cancelled command or a closed workspace. */
  readonly stopMs: number;
  /** Checks of a stream's node, which is lost after ten silent intervals. */
  readonly checkMs: number;
}

export const DEFAULT_LINK_TIMES: LinkTimes = {
  aliveMs: 1_000,
  pollMs: 2_000,
  retryMs: 300,
  transitMs: 2_000,
  stopMs: 7_000,
  checkMs: 2_000,
};
