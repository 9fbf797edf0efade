import {
  HaftError,
  type Plugin,
  type Processes,
  type ToolEffect,
  type ToolOutcome,
  type Workspace,
} from "@haft/core";
import { mapProcesses, prepareFetch, recordUse } from "@haft/core/internal";
import { type Network, Registry, type Session, SessionFactory, type ToolDefinition } from "@haft/core/kernel";
import { untilAborted } from "@haft/utils";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFakeNetwork, type NetworkAnswers } from "../fakes/fake-network.ts";
import { type Files, newTree, createTreeWorkspace } from "../memory/memory-workspace.ts";
import { type ObservedRun, Observer } from "../observe/observer.ts";
import { blockPortBypasses } from "../observe/port-bypasses.ts";
import { TrackedHandles } from "../observe/tracked-handles.ts";
import { createTestPolicy } from "../session/test-policy.ts";

const LINE = "The quick brown fox jumps over the lazy dog, 0123456789.\n";
/** Created once: writes replace files and change no bytes. */
const LARGE = new TextEncoder().encode(LINE.repeat(40_000));

/** Small text files of several kinds, an empty file, a large file and a binary file. */
export const SAMPLE_FILES: Files = {
  "README.md": "# Sample\n\nOne paragraph.\n",
  "src/index.ts": "export const answer = 42;\n",
  "data/table.csv": "name,number\none,1\ntwo,2\n",
  "data/values.json": '{"name":"sample","list":[1,2,3],"nested":{"deep":true}}\n',
  "empty.txt": "",
  "large.txt": LARGE,
  "binary.bin": Uint8Array.from({ length: 512 }, (_, index) => index % 256),
};

/** These exist in addition to {@link SAMPLE_FILES}. */
export const SAMPLE_LINKS = { "link.md": "README.md" };

/** Usual answers of a server, and answers that break programs. */
export const REPLIES: readonly (() => Response)[] = [
  () => Response.json({}),
  () => Response.json({ ok: true, items: [{ id: 1, name: "one" }], text: "hello" }),
  () => Response.json(null),
  () =>
    new Response("<html><body><h1>Hello</h1></body></html>", { headers: { "content-type": "text/html" } }),
  () => new Response("not json {", { headers: { "content-type": "application/json" } }),
  () => new Response("", { status: 200 }),
  () => new Response("Not Found", { status: 404 }),
  () => new Response("busy", { status: 503, headers: { "retry-after": "1" } }),
  () => {
    throw new HaftError("FETCH_FAILED", "The server closed the connection.", { category: "operational" });
  },
];

export interface SiteCall {
  outcome: ToolOutcome;
  /** `undefined`: the tool was not reached. */
  run: ObservedRun | undefined;
  isTimedOut: boolean;
  /** Milliseconds of the longest time in which nothing else ran. */
  blockedMs: number;
}

interface CallOptions {
  signal?: AbortSignal;
  /** Each answers one request, in order. */
  answers?: readonly (() => Response)[];
  hangs?: boolean;
}

/** A session for checks: files in memory, new for each call, and a fake network. */
export interface CheckSite {
  readonly observer: Observer;
  readonly handles: TrackedHandles;
  readonly tools: readonly ToolDefinition[];
  readonly session: Session;
  call(name: string, args: unknown, options?: CallOptions): Promise<SiteCall>;
  getEffects(name: string): readonly ToolEffect[];
  /** Ends the session; {@link handles} still report leaks. */
  close(): Promise<void>;
}

export async function openCheckSite(
  plugin: Plugin,
  { callMs, network }: { callMs: number; network?: NetworkAnswers | undefined },
): Promise<CheckSite> {
  // One-time objects of the process are not leaks, and loading them bypasses no port.
  await prepareFetch();
  void [process.stdout, process.stderr];
  const handles = new TrackedHandles();
  const observer = new Observer(handles);
  const putBack = blockPortBypasses(() => handles.isWithin, packageOf(plugin), observer.recordBypass);
  const registry = new Registry({ plugins: [observer.plugin(plugin)] });
  let tree = newTree({ files: SAMPLE_FILES, links: SAMPLE_LINKS });
  const place = (): Workspace => ({ ...createTreeWorkspace(tree, "host", []), processes: noProcesses() });
  let current = place();
  const fs = new Proxy({} as Workspace["fs"], { get: (_, key) => Reflect.get(current.fs, key) as unknown });
  const withConsent = (places: readonly string[]) => current.withConsent!(places);
  const workspace = recordUse({ ...current, fs, withConsent }, (effect, what) =>
    observer.recordEffect(effect, `${effect === "execute" ? "start" : effect} ${JSON.stringify(what)}`),
  );
  let replies: Required<Pick<CallOptions, "answers" | "hangs">> = { answers: [REPLIES[1]!], hangs: false };
  let requests = 0;
  const pretence = createFakeNetwork({
    // The first match counts, so the author's answers come first.
    ...network,
    ...(network?.["*"] === undefined && {
      "*": () => replies.answers[requests++ % replies.answers.length]!(),
    }),
  });
  const factory = new SessionFactory({
    registry,
    policy: await createTestPolicy(registry, {}),
    loopGuard: false,
    deadlineMs: callMs,
    abortGraceMs: 0,
  });
  const watched: Network = {
    request: (request) => {
      observer.recordEffect("network", `${request.method} ${request.url}`);
      return replies.hangs
        ? untilAborted(new Promise<never>(() => {}), request.signal)
        : pretence.request(request);
    },
  };
  const session = await factory.open({ kind: "main", workspace, sessionKey: "check", network: watched });
  return {
    observer,
    handles,
    session,
    tools: session.tools(),
    async call(name, args, { signal, answers = [REPLIES[1]!], hangs = false } = {}) {
      requests = 0;
      tree = newTree({ files: SAMPLE_FILES, links: SAMPLE_LINKS });
      current = place();
      replies = { answers, hangs };
      observer.begin();
      const blocked = watchBlocking();
      const outcome = await session.call({ name, arguments: args }, signal && { signal });
      const blockedMs = blocked.end();
      return {
        outcome,
        run: observer.last,
        blockedMs,
        isTimedOut: outcome.kind === "error" && outcome.code === "DEADLINE_EXCEEDED",
      };
    },
    getEffects: (name) => observer.effects.get(name) ?? [],
    async close() {
      await session.close();
      await registry.close();
      putBack();
    },
  };
}

/** Returns the folder of the package; `undefined` without a package. */
function packageOf({ source }: Plugin): string | undefined {
  if (source === undefined) return undefined;
  for (let folder = dirname(source); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

const BEAT_MS = 100;

/** Measures synchronous work. Ignores time in which the machine did not run the process. */
function watchBlocking(): { end(): number } {
  const now = () => ({ at: performance.now(), cpu: process.cpuUsage() });
  let last = now();
  let longest = 0;
  const beat = () => {
    const { at, cpu } = now();
    const used = (cpu.user - last.cpu.user + cpu.system - last.cpu.system) / 1_000;
    longest = Math.max(longest, Math.min(at - last.at, used));
    last = { at, cpu };
  };
  const timer = setInterval(beat, BEAT_MS).unref();
  return {
    end() {
      clearInterval(timer);
      beat();
      return longest;
    },
  };
}

/** No program exists: a start fails like that of a missing program. */
function noProcesses(): Processes {
  return mapProcesses(() => {
    throw new HaftError("PROGRAM_NOT_FOUND", "There is no program here: this is a check, and starts none.", {
      category: "input",
      fix: "Say what to install, as where the program is really missing.",
      receipt: "none",
    });
  });
}
