/** How long a host waits for what, in milliseconds. */
export interface LinkTimes {
  /** For which a node that was heard counts as there. */
  readonly aliveMs: number;
  /** Between two questions what became of a call. */
  readonly pollMs: number;
  /** Until it asks again where the server said that nobody is there, which anybody can say; and for the true answer then. */
  readonly retryMs: number;
  /** Beside the time of a call, for its way. */
  readonly transitMs: number;
  /** For the end of a command that was told to stop, or of a workspace. */
  readonly stopMs: number;
  /** Between two looks whether the node of a stream was heard; it is given up after ten at which it was not. */
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
