// One implementation of a case in its own process, started by measure.ts.
import { type StartSubject, type Subject, type Suite, type TimedSubject, WARM_UP_MS } from "./suite.ts";

/** The time of a round without a fixed number of runs. */
const ROUND_NS = 50e6;
/** Optimises code before measurements. */
const WARM_UP_NS = WARM_UP_MS * 1e6;

export type Values = Readonly<Record<string, number>>;
export type FromWorker = { ready: true; node: string } | { values: Values } | { error: string };

const [module = "", caseName = "", label = "", fixtures = ""] = process.argv.slice(2);

let started: Subject | undefined;

process.on("disconnect", () => void end());
try {
  const subject = await (await findStart())(fixtures);
  started = subject;
  const round = "run" in subject ? await timedRound(subject) : () => subject.sample();
  process.on("message", () => void answer(round));
  send({ ready: true, node: process.versions.node });
} catch (thrown) {
  fail(thrown);
}

async function findStart(): Promise<StartSubject> {
  const exported = (await import(module)) as { suite?: Suite } & Record<string, StartSubject>;
  const start = module.endsWith(".mjs")
    ? exported[label]
    : exported.suite?.cases.find(({ name }) => name === caseName)?.subjects[label];
  if (typeof start !== "function") throw new Error(`${module} has no ${label} for "${caseName}".`);
  return start;
}

async function timedRound(subject: TimedSubject): Promise<() => Promise<Values>> {
  let fitting = subject.runs ?? 1;
  for (let spent = 0, done = 0; spent < WARM_UP_NS || done < (subject.warmUpRuns ?? 0);) {
    const { time } = await measure(subject, fitting);
    const took = time * (subject.operations ?? 1);
    spent += took * fitting;
    done += fitting;
    if (subject.runs === undefined)
      fitting = Math.max(1, Math.min(Math.round(ROUND_NS / took), fitting * 10));
  }
  return () => measure(subject, fitting);
}

async function measure(subject: TimedSubject, runs: number): Promise<{ time: number; cpu: number }> {
  await subject.beforeRound?.();
  const { time, cpu } = await (subject.before ? timeEach(subject, runs) : timeAll(subject, runs));
  const operations = runs * (subject.operations ?? 1);
  return { time: time / operations, cpu: cpu / operations };
}

async function timeAll({ run }: TimedSubject, runs: number): Promise<{ time: number; cpu: number }> {
  const before = process.cpuUsage();
  const start = performance.now();
  for (let i = 0; i < runs; i++) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  const time = (performance.now() - start) * 1e6;
  return { time, cpu: cpuSince(before) };
}

async function timeEach({ run, before }: TimedSubject, runs: number): Promise<{ time: number; cpu: number }> {
  const sum = { time: 0, cpu: 0 };
  for (let i = 0; i < runs; i++) {
    await before?.();
    const used = process.cpuUsage();
    const start = performance.now();
    const result = run();
    if (result instanceof Promise) await result;
    sum.time += (performance.now() - start) * 1e6;
    sum.cpu += cpuSince(used);
  }
  return sum;
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) * 1000;
}

async function answer(round: () => Values | Promise<Values>): Promise<void> {
  try {
    send({ values: await round() });
  } catch (thrown) {
    fail(thrown);
  }
}

async function end(): Promise<void> {
  try {
    await started?.close?.();
  } finally {
    process.exit(0);
  }
}

function fail(thrown: unknown): void {
  send({ error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) });
}

function send(message: FromWorker): void {
  process.send?.(message);
}
