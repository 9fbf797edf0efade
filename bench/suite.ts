/** What a value counts. Times are nanoseconds, sizes bytes. */
export type Unit = "time" | "bytes" | "count";

/** A number of a case. */
export interface Metric {
  /** The key of a subject's value. */
  key: string;
  /** Distinguishes the number in a table; empty for a single number. */
  label: string;
  unit: Unit;
}

/** The harness repeats and times it. */
export interface TimedSubject {
  run: () => unknown;
  /** Operations of a `run`, which divide its time. Default 1. */
  operations?: number;
  /** Runs per round; default as many as fit into a twentieth of a second. */
  runs?: number;
  /** Minimum warm-up runs, if {@link WARM_UP_MS} is too short for optimised code. */
  warmUpRuns?: number;
  /** Runs untimed before each run, which is then timed alone. */
  before?: () => unknown;
  /** Runs untimed before each round. */
  beforeRound?: () => unknown;
  close?: () => unknown;
}

/** Measures itself: memory, other processes, or several numbers. */
export interface SampledSubject {
  /** One round's values of all metrics. */
  sample: () => Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>;
  close?: () => unknown;
}

export type Subject = TimedSubject | SampledSubject;

/** Prepares an implementation in its own process, with the suite's folder `fixtures`. */
export type StartSubject = (fixtures: string) => Subject | Promise<Subject>;

/** Work for several implementations. */
export interface Case {
  name: string;
  /** The comparison, unless the name explains it. */
  about?: string;
  /** Default: one time. */
  metrics?: readonly Metric[];
  /** Haft's unmeasured work in each new process, if any. */
  warmUp?: string;
  /** Title of the first number's chart. */
  chart?: string;
  /** Rounds per implementation, below the default. */
  rounds?: number;
  /** Uses new processes for each round: first times and memory. */
  fresh?: boolean;
  /** Haft, and `limit`: the same work with bare primitives, without checks. */
  subjects: Readonly<Record<string, StartSubject>>;
  /** Peer → its starting function in `peers/SUITE.mjs`. */
  peers?: Readonly<Record<string, string>>;
}

/** Files of `suites/` export one as `suite`. */
export interface Suite {
  name: string;
  title: string;
  cases: readonly Case[];
  /** Fills a temporary folder for the cases. */
  prepare?: (fixtures: string, options: { peers: boolean }) => void | Promise<void>;
}

/** Milliseconds of warm-up per process. */
export const WARM_UP_MS = 300;

/** Ratios are relative to it. */
export const OURS = "Haft";
