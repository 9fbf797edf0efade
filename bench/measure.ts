import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Case, Metric, Suite } from "./suite.ts";
import type { FromWorker, Values } from "./worker.ts";

export const DEFAULT_ROUNDS = 15;
/** Milliseconds for a process to end. */
const PATIENCE_MS = 5000;

const TIME: Metric = { key: "time", label: "", unit: "time" };

export interface MeasureOptions {
  /** Rounds per implementation, instead of the suite's number. */
  rounds?: number;
  /** Also measures peers. */
  peers: boolean;
  fixtures: string;
  onProgress: (what: string) => void;
}

/** One implementation's values of one metric. */
export interface Result {
  implementation: string;
  median: number;
  /** First and third quartile of the rounds. */
  quartiles: readonly [number, number];
  /** Median CPU time, if timed, of the process without its children. */
  cpu?: number;
}

/** A metric of a case. */
export interface Row {
  suite: string;
  case: string;
  /** The comparison and its method. */
  about: readonly string[];
  chart?: string;
  metric: Metric;
  results: readonly Result[];
  /** Unmeasured implementations, with reasons. */
  failures: readonly { implementation: string; reason: string }[];
}

/**
 * Measures every implementation of a case in a separate process. Alternating rounds spread disturbances of
 * the machine over all.
 */
export async function measureCase(suite: Suite, of: Case, options: MeasureOptions): Promise<Row[]> {
  const contestants = contestantsOf(suite, of, options);
  const rounds = options.rounds ?? of.rounds ?? DEFAULT_ROUNDS;
  const failures: { implementation: string; reason: string }[] = [];
  const alive = new Set(contestants);
  const attempt = async (contestant: Contestant, step: () => Promise<void>): Promise<void> => {
    options.onProgress(`${suite.name}: ${of.name}: ${contestant.implementation}`);
    try {
      await step();
    } catch (thrown) {
      alive.delete(contestant);
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      failures.push({ implementation: contestant.implementation, reason });
    }
  };
  try {
    for (let round = 0; round < rounds; round++) {
      for (const contestant of alive) await attempt(contestant, () => contestant.round());
    }
  } finally {
    await Promise.all(contestants.map((contestant) => contestant.end()));
  }
  return (of.metrics ?? [TIME]).map((metric, index) => ({
    suite: suite.name,
    case: of.name,
    about: aboutOf(of, rounds),
    ...(of.chart === undefined || index > 0 ? {} : { chart: of.chart }),
    metric,
    results: [...alive].map(({ implementation, values }) => ({
      implementation,
      ...summarize(values.map((value) => value[metric.key] ?? Number.NaN)),
      ...(metric === TIME && { cpu: summarize(values.map(({ cpu = Number.NaN }) => cpu)).median }),
    })),
    failures,
  }));
}

/** The comparison, and differences from the default method. */
function aboutOf({ about, fresh, warmUp }: Case, rounds: number): string[] {
  const some = `${rounds} ${rounds === 1 ? "round" : "rounds"}`;
  const processes = `each round in a new process${warmUp === undefined ? "" : ` that has ${warmUp}`}`;
  const how = [...(rounds === DEFAULT_ROUNDS ? [] : [some]), ...(fresh === true ? [processes] : [])];
  const text = how.join(", ");
  return [
    ...(about === undefined ? [] : [about]),
    ...(text === "" ? [] : [`${text[0]!.toUpperCase()}${text.slice(1)}.`]),
  ];
}

function contestantsOf(suite: Suite, of: Case, { fixtures, peers }: MeasureOptions): Contestant[] {
  const start = (file: string, implementation: string, label: string) => {
    const module = new URL(file, import.meta.url).href;
    return new Contestant(implementation, [module, of.name, label, fixtures], of);
  };
  const own = Object.keys(of.subjects).map((label) => start(`suites/${suite.name}.ts`, label, label));
  if (!peers) return own;
  const others = Object.entries(of.peers ?? {});
  return [...own, ...others.map(([name, label]) => start(`peers/${suite.name}.mjs`, name, label))];
}

class Contestant {
  readonly implementation: string;
  readonly values: Values[] = [];
  readonly #arguments: readonly string[];
  readonly #fresh: boolean;
  readonly #measuresItself: boolean;
  #worker: ChildProcess | undefined;

  constructor(implementation: string, args: readonly string[], { fresh = false, metrics }: Case) {
    this.implementation = implementation;
    this.#arguments = args;
    this.#fresh = fresh;
    this.#measuresItself = metrics !== undefined;
  }

  async round(): Promise<void> {
    if (this.#worker === undefined) {
      this.#worker = await startWorker(this.#arguments);
      // Timed subjects warm up themselves.
      if (this.#measuresItself && !this.#fresh) await valuesOf(this.#worker);
    }
    this.values.push(await valuesOf(this.#worker));
    if (this.#fresh) await this.end();
  }

  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    if (!worker || worker.exitCode !== null || worker.signalCode !== null) return;
    const ended = once(worker, "exit");
    worker.disconnect();
    const patience = setTimeout(() => worker.kill("SIGKILL"), PATIENCE_MS);
    await ended;
    clearTimeout(patience);
  }
}

async function valuesOf(worker: ChildProcess): Promise<Values> {
  const answer = nextMessage(worker);
  worker.send("round");
  const message = await answer;
  if ("values" in message) return message.values;
  throw new Error("error" in message ? message.error : "It answered nothing.");
}

async function startWorker(args: readonly string[]): Promise<ChildProcess> {
  const worker = fork(new URL("worker.ts", import.meta.url), args, {
    execArgv: ["--conditions=@haft/source", "--expose-gc", "--max-old-space-size=8192"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const message = await nextMessage(worker);
  const problem = "error" in message ? message.error : problemOfNode(message);
  if (problem !== undefined) {
    worker.kill("SIGKILL");
    throw new Error(problem);
  }
  return worker;
}

/** Different versions are not comparable. */
function problemOfNode(message: FromWorker): string | undefined {
  const { node } = process.versions;
  if ("node" in message && message.node === node) return undefined;
  return `It does not run on Node ${node}, as the others do.`;
}

function nextMessage(worker: ChildProcess): Promise<FromWorker> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null, signal: string | null) =>
      reject(new Error(`The process ended with ${signal ?? `exit code ${code}`}.`));
    worker.once("exit", onExit);
    worker.once("message", (message) => {
      worker.off("exit", onExit);
      resolve(message as FromWorker);
    });
  });
}

function summarize(values: readonly number[]): Pick<Result, "median" | "quartiles"> {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), quartiles: [quantile(sorted, 0.25), quantile(sorted, 0.75)] };
}

/** Between two values, their mean weighted by distance. */
function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}
