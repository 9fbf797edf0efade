import type { ProcessInfo, Processes, ProcessOutput, ProcessSpec, Workspace } from "@haft/core";
import { HaftError } from "@haft/core";
import { afterAll, beforeAll } from "vitest";

export { until } from "../../../../test/support/until.ts";

/** A workspace to try the contract on: empty, writable, in the hands of this suite alone. */
export interface ContractSite {
  workspace: Workspace & { processes: Processes };
  close(): Promise<void>;
}

export type OpenSite = () => Promise<ContractSite>;

/** What a backend is known not to have; everything else is demanded of it. */
export interface ContractOptions {
  without?: readonly (
    | "pty"
    | "identify"
    | "hard links"
    | "read-only globs"
    | "hidden processes"
    | "output limits"
    // Where commands are started by this program, there is no other place that could look.
    | "a second look at fences"
  )[];
  /** Of what is under way at once, one n-th is tried; all of it in a long campaign. */
  oneIn?: number;
}

/** Of all suites: some share a site. */
let folders = 0;

/** One site for all tests of a suite. Everything is done through the ports, so that it may be anywhere. */
export function contractSite(open: OpenSite) {
  let site: ContractSite | undefined;
  beforeAll(async () => {
    site = await open();
  }, 120_000);
  afterAll(() => site?.close());
  return {
    get fs() {
      return site!.workspace.fs;
    },
    get processes() {
      return site!.workspace.processes;
    },
    get workspace() {
      return site!.workspace;
    },
    get root() {
      return site!.workspace.describe().cwd;
    },
    /** The name of a new folder in the workspace: what one test does is nothing to the others. */
    async folder(): Promise<string> {
      const name = `contract-${++folders}`;
      await site!.workspace.fs.mkdirp(name);
      return name;
    },
  };
}

export type Site = ReturnType<typeof contractSite>;

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export async function textAt({ fs }: Site, path: string): Promise<string> {
  return new TextDecoder().decode((await fs.read(path)).bytes);
}

export async function listNames({ fs }: Site, path: string): Promise<string[]> {
  return (await fs.list(path)).entries.map(({ name }) => name).toSorted();
}

export async function catchFailure(call: Promise<unknown>): Promise<HaftError> {
  const thrown = await call.then(
    (value) => new Error(`expected a failure, got ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (HaftError.is(thrown)) return thrown;
  throw thrown;
}

/** The code of the `HaftError` a call fails with; anything else thrown fails the test. */
export async function catchErrorCode(call: Promise<unknown>): Promise<string> {
  return (await catchFailure(call)).code;
}

let calls = 0;

export function start(processes: Processes, spec: string | ProcessSpec): Promise<ProcessInfo> {
  return processes.start(`contract-${++calls}`, typeof spec === "string" ? { script: spec } : spec);
}

/** Starts it, waits for its end and reads all of its output. */
export async function run(
  processes: Processes,
  spec: string | ProcessSpec,
): Promise<ProcessInfo & { text: string }> {
  const { id } = await start(processes, spec);
  const info = await processes.wait(id);
  return { ...info, text: await readOutput(processes, id) };
}

/** The same, for what prepares a test and has to succeed. */
export async function prepare(processes: Processes, script: string, cwd: string): Promise<string> {
  const { exitCode, text } = await run(processes, { script, cwd });
  if (exitCode !== 0) throw new Error(`${script}: ${text}`);
  return text;
}

export async function readOutput(processes: Processes, id: string, stream?: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let from = 0; ;) {
    const output = await processes.read(id, from, { max: 1 << 20 });
    parts.push(
      ...output.chunks.filter((one) => stream === undefined || one.stream === stream).map((one) => one.bytes),
    );
    from = output.next;
    if (from >= output.total) return Buffer.concat(parts).toString();
  }
}

export function decodeChunks({ chunks }: ProcessOutput): string {
  return Buffer.concat(chunks.map((one) => one.bytes)).toString();
}

/** How many processes of that place sleep for so long. Asked of the place itself, which need not be this machine. */
export async function sleepers(processes: Processes, seconds: string): Promise<number> {
  const script = `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o "[s]leep ${seconds}" | wc -l`;
  return Number((await run(processes, script)).text);
}

/** A number of seconds that no other test sleeps. */
export function uniqueSleep(): string {
  return `${600 + Math.floor(Math.random() * 1e6)}.${Math.floor(Math.random() * 1e6)}`;
}
