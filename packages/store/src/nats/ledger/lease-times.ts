export interface LeaseTimes {
  readonly renewMs: number;
  /** Limits a renewal for its holder, from its dispatch, by a clock that counts sleep. */
  readonly holdMs: number;
  /** Other hosts may take the run after this time without a renewal, by their clocks. */
  readonly takeMs: number;
  readonly clock: () => number;
  /** Interval of sweeps. Absent: only on request. */
  readonly sweepMs?: number;
}
