/** What a value counts. Times are nanoseconds, sizes bytes. */
export type Unit = "time" | "bytes" | "count";

/** One number a case measures, beside others. */
export interface Metric {
  /** Name of the value a subject answers. */
  key: string;
  /** Says in the table which number this is; empty when the case has only one. */
  label: string;
  unit: Unit;
}

/** An operation the harness repeats and times. */
export interface TimedSubject {
  run: () => unknown;
  /** Operations one `run` makes: its time is divided by them. Default 1. */
  operations?: number;
  /** Runs of one round; as many as fit into a twentieth of a second by default. */
  runs?: number;
  /** Runs that warm up at least, where {@link WARM_UP_MS} is too short for its code to be optimised. */
  warmUpRuns?: number;
  /** Before each run, not timed. Runs are then timed one by one. */
  before?: () => unknown;
  /** Before each round, not timed. */
  beforeRound?: () => unknown;
  close?: () => unknown;
}

/** An operation that measures itself: memory, other processes, several numbers at once. */
export interface SampledSubject {
  /** One round: a value for every metric of the case. */
  sample: () => Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>;
  close?: () => unknown;
}

export type Subject = TimedSubject | SampledSubject;

/** Makes one implementation ready, in a process of its own. `fixtures` is the folder the suite prepared. */
export type StartSubject = (fixtures: string) => Subject | Promise<Subject>;

/** One thing that several implementations do. */
export interface Case {
  name: string;
  /** What is compared with what, where the name does not say it. */
  about?: string;
  /** One time by default. */
  metrics?: readonly Metric[];
  /** What Haft has done in each new process before it counts, where it is anything. */
  warmUp?: string;
  /** Title of the chart that the page has of its first number. */
  chart?: string;
  /** Rounds for each implementation, where the default is too many. */
  rounds?: number;
  /** A new process for every round: for first times and for memory. */
  fresh?: boolean;
  /** Haft, and the same work with bare primitives and no checks as `limit`. */
  subjects: Readonly<Record<string, StartSubject>>;
  /** Name of a peer → the function in `peers/SUITE.mjs` that starts it. */
  peers?: Readonly<Record<string, string>>;
}

/** A file of `suites/` exports one as `suite`. */
export interface Suite {
  name: string;
  title: string;
  cases: readonly Case[];
  /** Fills a temporary folder with what the cases work on. */
  prepare?: (fixtures: string, options: { peers: boolean }) => void | Promise<void>;
}

/** Milliseconds for which a process does what is timed, before it counts. */
export const WARM_UP_MS = 300;

/** What every ratio is relative to. */
export const OURS = "Haft";
