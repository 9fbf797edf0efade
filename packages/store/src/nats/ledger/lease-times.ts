export interface LeaseTimes {
  readonly renewMs: number;
  /** Validity of a renewal for its holder, from its dispatch, by a clock that counts sleep. */
  readonly holdMs: number;
  /** Time without a renewal, by their own clocks, after which other hosts may take the run. */
  readonly takeMs: number;
  readonly clock: () => number;
  /** Interval of sweeps over all hosts. Absent: sweeps only on request. */
  readonly sweepMs?: number;
}
