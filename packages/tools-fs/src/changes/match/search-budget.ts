export class BudgetExceededError extends Error {}

/** Steps that a search on the thread of the host may take, reading included: some 50 ms. */
const STEPS_ON_HOST = 1 << 25;
/** Steps that a search on its own thread may take, whatever its size. */
const BASE_STEPS = 1 << 24;
/** Further steps for each line of the file and of the request. */
const STEPS_PER_LINE = 64;

/** Counts the steps of one search, and stops it. A step is about the time in which two numbers are compared. */
export class SearchBudget {
  usedSteps = 0;
  /** Whether nothing else is tried when the steps are used up. */
  readonly isFinal: boolean;
  readonly #most: number;

  private constructor(most: number, isFinal: boolean) {
    this.#most = most;
    this.isFinal = isFinal;
  }

  /** For the thread of the host: what needs more steps goes on elsewhere. */
  static onHost(): SearchBudget {
    return new SearchBudget(STEPS_ON_HOST, false);
  }

  /** Linear in the lines of the file and of the request. What needs more steps fails. */
  static final(lines: number): SearchBudget {
    return new SearchBudget(BASE_STEPS + STEPS_PER_LINE * lines, true);
  }

  /** Takes steps that may grow faster than the input. @throws BudgetSpent when fewer are left. */
  spend(steps: number): void {
    if (this.usedSteps + steps > this.#most) throw new BudgetExceededError();
    this.usedSteps += steps;
  }

  /** Takes steps that are linear in the input: only a final search does not count them. @throws BudgetSpent */
  read(steps: number): void {
    if (!this.isFinal) this.spend(steps);
  }
}
