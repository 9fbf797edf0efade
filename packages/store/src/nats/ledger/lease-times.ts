export interface LeaseTimes {
  readonly renewMs: number;
  /** How long a renewal holds for the one who has it, from when it was sent, by a clock that counts sleep. */
  readonly holdMs: number;
  /** How long others have to see no renewal before they take it, by their own clock. */
  readonly takeMs: number;
  readonly clock: () => number;
  /** From one sweep to the next, of all hosts together. Absent: only when somebody asks for one. */
  readonly sweepMs?: number;
}
