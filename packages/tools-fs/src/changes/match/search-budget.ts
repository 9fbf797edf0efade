export class BudgetExceededError extends Error {}

const STEPS_ON_HOST = 1 << 25;
const BASE_STEPS = 1 << 24;
const STEPS_PER_LINE = 64;

/** Limits the steps of one search. A step takes about as long as comparing two numbers. */
export class SearchBudget {
  usedSteps = 0;
  readonly isFinal: boolean;
  readonly #most: number;

  private constructor(most: number, isFinal: boolean) {
    this.#most = most;
    this.isFinal = isFinal;
  }

  /** Larger searches continue on a worker. */
  static onHost(): SearchBudget {
    return new SearchBudget(STEPS_ON_HOST, false);
  }

  /** Linear in the lines of the file and of the request. Larger searches fail. */
  static final(lines: number): SearchBudget {
    return new SearchBudget(BASE_STEPS + STEPS_PER_LINE * lines, true);
  }

  /** Takes steps that may grow faster than the input. @throws BudgetExceededError */
  spend(steps: number): void {
    if (this.usedSteps + steps > this.#most) throw new BudgetExceededError();
    this.usedSteps += steps;
  }

  /** Takes steps that are linear in the input. A final budget ignores them. @throws BudgetExceededError */
  read(steps: number): void {
    if (!this.isFinal) this.spend(steps);
  }
}
