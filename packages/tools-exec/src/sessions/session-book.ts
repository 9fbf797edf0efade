import {
  HaftError,
  type Processes,
  type ProcessInfo,
  type ProcessSpec,
  type Workspace,
} from "@haft/plugin-sdk";
import { ENDED_RETENTION_MS } from "../defaults.ts";
import { commandToolError } from "../errors.ts";
import { commandAbortedError, isStartAborted } from "./command-aborted.ts";
import { explainLostStart } from "./command-lost.ts";
import { CommandSession } from "./command-session.ts";
import type { ShellName } from "./resolve-shell.ts";
import { newSlug } from "./slug.ts";

/** Limits ended commands. The oldest with a seen end are removed first. */
const MOST_ENDED = 50;
/** Limits ended commands with an unseen end. */
const MOST_UNSEEN = 500;
/** With more commands, the book queries the workspace. */
const MOST_UNASKED = 200;

/** The workspace stores the state of commands: the id of a start contains the command's name, so a restarted host finds it again. */
export class SessionBook {
  readonly workspace: Workspace;
  readonly #processes: Processes;
  readonly #scope: string;
  /** Books of nodes' workspaces, for the same session. */
  readonly #otherBooks = new Map<Workspace, SessionBook>();
  readonly #sessions = new Map<string, CommandSession>();
  readonly #reserved = new Set<string>();
  readonly #isTaken: (id: string) => boolean;
  #found: Promise<void> | undefined;
  #listing: Promise<unknown> | undefined;
  endedRetentionMs = ENDED_RETENTION_MS.default;

  constructor(workspace: Workspace, scope: string, isTaken: (id: string) => boolean = () => false) {
    this.workspace = workspace;
    this.#processes = requireProcesses(workspace);
    this.#scope = scope;
    this.#isTaken = isTaken;
  }

  forWorkspace(workspace: Workspace): SessionBook {
    let book = this.#otherBooks.get(workspace);
    if (book === undefined) {
      book = new SessionBook(workspace, this.#scope, (id) => this.#knows(id));
      this.#otherBooks.set(workspace, book);
    }
    return book;
  }

  findBook(session: CommandSession): SessionBook {
    return [...this.#otherBooks.values()].find((book) => book.#sessions.get(session.id) === session) ?? this;
  }

  #knows(id: string): boolean {
    return (
      this.#sessions.has(id) ||
      this.#reserved.has(id) ||
      [...this.#otherBooks.values()].some((book) => book.#sessions.has(id) || book.#reserved.has(id))
    );
  }

  async start(
    spec: ProcessSpec,
    options: {
      signal: AbortSignal;
      waitMs: number;
      title?: string | undefined;
      shell: ShellName | undefined;
      isBackgrounded: boolean;
    },
  ): Promise<CommandSession> {
    await this.#find();
    const slug = newSlug((one) => this.#knows(one) || this.#isTaken(one));
    const callerId = JSON.stringify([OWNER, this.#scope, slug]);
    this.#reserved.add(slug);
    let session: CommandSession;
    try {
      const { signal, waitMs } = options;
      const info = await this.#processes.start(callerId, spec, { signal, waitMs });
      session = new CommandSession(slug, this.#processes, info, options);
    } catch (thrown) {
      if (!isStartAborted(thrown)) throw await explainLostStart(thrown, this);
      throw commandAbortedError(await this.#discard(callerId));
    } finally {
      this.#reserved.delete(slug);
    }
    this.#sessions.set(slug, session);
    this.prune().catch(() => {});
    return session;
  }

  /** Refreshes the state. */
  async get(id: string): Promise<CommandSession | undefined> {
    await this.#find();
    const session = this.#sessions.get(id);
    if (session === undefined) {
      const there = [...this.#otherBooks.values()].find((book) => book.#sessions.has(id));
      return await there?.get(id);
    }
    const info = await this.#processes.info(session.info.id);
    if (info === undefined) this.#sessions.delete(id);
    else session.update(info);
    return this.#sessions.get(id);
  }

  /** Latest first. */
  async list(): Promise<CommandSession[]> {
    const sessions = await this.#list();
    if (this.#otherBooks.size === 0) return sessions;
    const all = await Promise.all([...this.#otherBooks.values()].map((book) => book.list()));
    return [...sessions, ...all.flat()].toSorted((one, other) => other.info.startedAt - one.info.startedAt);
  }

  async #list(): Promise<CommandSession[]> {
    await this.#find();
    const known = [...this.#sessions.values()];
    const infos = new Map((await this.#processes.list()).map((info) => [info.id, info]));
    for (const session of known) {
      const info = infos.get(session.info.id);
      if (info === undefined) this.#sessions.delete(session.id);
      else session.update(info);
    }
    return [...this.#sessions.values()].toReversed();
  }

  async forget(session: CommandSession): Promise<void> {
    const book = this.findBook(session);
    if (book !== this) return await book.forget(session);
    this.#strike(session);
    await this.#release(session);
  }

  forgetSoon(session: CommandSession): void {
    const book = this.findBook(session);
    if (book !== this) return book.forgetSoon(session);
    this.#strike(session);
    setImmediate(() => void this.#release(session).catch(() => {}));
  }

  #strike(session: CommandSession): void {
    this.#sessions.delete(session.id);
    // Before the release, a start with this name would return the old command.
    this.#reserved.add(session.id);
    session.terminal.close();
  }

  async #release(session: CommandSession): Promise<void> {
    try {
      await this.#processes.release(session.info.id);
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "PROCESS_NOT_FOUND") throw thrown;
    }
    this.#reserved.delete(session.id);
  }

  async end(): Promise<void> {
    const sessions = await this.#list();
    await Promise.all([...this.#otherBooks.values()].map((book) => book.end()));
    await Promise.all(
      sessions.map(async (session) => {
        session.endedByModel = true;
        session.update(await this.#processes.kill(session.info.id));
        await this.forget(session);
      }),
    );
  }

  /** Asks for running commands only if some may have ended. */
  async prune(): Promise<void> {
    await Promise.allSettled([...this.#otherBooks.values()].map((book) => book.prune()));
    const known = [...this.#sessions.values()].filter((one) => one.isBackgrounded);
    const isOld = ({ info, hasEnded }: CommandSession): boolean =>
      !hasEnded && Date.now() - info.startedAt > this.endedRetentionMs;
    if (known.length > MOST_UNASKED || known.some(isOld))
      await (this.#listing ??= this.#list().finally(() => (this.#listing = undefined)));
    const ended = [...this.#sessions.values()].filter((one) => one.hasEnded && one.isBackgrounded);
    const surplus = [
      ...ended.filter((one) => one.endWasSeen).slice(0, -MOST_ENDED),
      ...ended.filter((one) => !one.endWasSeen).slice(0, -MOST_UNSEEN),
    ];
    const old = ended.filter(
      ({ info }) => Date.now() - (info.endedAt ?? info.startedAt) > this.endedRetentionMs,
    );
    await Promise.allSettled([...new Set([...surplus, ...old])].map((session) => this.forget(session)));
  }

  async #discard(callerId: string): Promise<ProcessInfo | undefined> {
    let ended: ProcessInfo | undefined;
    for (const info of await this.#processes.list()) {
      if (info.callerId !== callerId) continue;
      ended = await this.#processes.kill(info.id);
      await this.#processes.release(info.id);
    }
    return ended;
  }

  /** Finds commands that an earlier host started, once. */
  #find(): Promise<void> {
    this.#found ??= this.#restore().catch((thrown: unknown) => {
      this.#found = undefined;
      throw thrown;
    });
    return this.#found;
  }

  async #restore(): Promise<void> {
    for (const info of await this.#processes.list()) {
      const slug = slugOf(info, this.#scope);
      if (slug === undefined) continue;
      this.#sessions.set(slug, new CommandSession(slug, this.#processes, info, { isBackgrounded: true }));
    }
  }
}

const OWNER = "haft-exec";

function slugOf({ callerId }: ProcessInfo, scope: string): string | undefined {
  if (!callerId.startsWith(`["${OWNER}",`)) return undefined;
  try {
    const [, owner, slug] = JSON.parse(callerId) as [string, unknown, unknown];
    return owner === scope && typeof slug === "string" ? slug : undefined;
  } catch {
    return undefined;
  }
}

const books = new WeakMap<Processes, Map<string, SessionBook>>();

export function requireProcesses({ processes }: Workspace): Processes {
  if (processes !== undefined) return processes;
  throw commandToolError(
    "COMMANDS_UNAVAILABLE",
    "Commands cannot run in this session's workspace: it only has files.",
  );
}

/** @throws `COMMANDS_UNAVAILABLE` */
export function sessionBook(workspace: Workspace, scope: string): SessionBook {
  const processes = requireProcesses(workspace);
  let ofWorkspace = books.get(processes);
  if (ofWorkspace === undefined) books.set(processes, (ofWorkspace = new Map()));
  let book = ofWorkspace.get(scope);
  if (book === undefined) ofWorkspace.set(scope, (book = new SessionBook(workspace, scope)));
  return book;
}

/**
 * Kills every command of a session of these tools, and removes its records. For hosts whose workspace outlives the session; otherwise
 * closing its processes suffices.
 *
 * @param sessionKey the tools' `scopeKey`, if they have one
 *
 * @example
 * ```ts
 * import type { Workspace } from "@haft/core";
 * import { endCommands } from "@haft/tools-exec";
 * declare const workspace: Workspace; // shared by several sessions
 * await endCommands(workspace, "agent:main:chat-42");
 * ```
 */
export async function endCommands(workspace: Workspace, sessionKey: string): Promise<void> {
  const { processes } = workspace;
  if (processes === undefined) return;
  const book = books.get(processes)?.get(sessionKey) ?? new SessionBook(workspace, sessionKey);
  await book.end();
  books.get(processes)?.delete(sessionKey);
}
