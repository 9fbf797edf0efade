import { attempt } from "@haft/system/processes";
import { closeSync, mkdirSync, openSync, readSync, write, writeSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ControlGroup } from "./control-group.ts";

const SELF = "0";
const MEMBERS = Buffer.alloc(64 * 1024);

export class CommandGroup extends ControlGroup {
  /** False once it turned out that other commands may be in it, or this one may not: then it is nobody's. */
  isExclusive = true;
  #entry: number | undefined;

  override members(): number[] {
    return this.isExclusive ? super.members() : [];
  }

  override stop(): void {
    if (this.isExclusive) super.stop();
  }

  /** Moves this program there. @throws where that cannot be */
  async enter(): Promise<void> {
    this.#entry = openSync(this.entry, "r+");
    // The thread that starts programs is this one. A whole program takes its time, and may be moved by any of its threads.
    if (this.movesThreads) writeSync(this.#entry, SELF);
    else await promisify(write)(this.#entry, SELF);
  }

  /** This program is about to go. Answers whether it was there up to now, and not moved away by somebody. */
  leave(): boolean {
    const entry = this.#entry!;
    this.#entry = undefined;
    const length = attempt(() => readSync(entry, MEMBERS, 0, MEMBERS.length, 0)) ?? 0;
    closeSync(entry);
    return MEMBERS.toString("latin1", 0, length).split("\n").includes(String(process.pid));
  }
}

/**
 * A control group for each command, below that of the session. This program stands in the group of the command that comes
 * next: whatever it starts is born there, before it can do anything. Then it moves on, and the group is the command's own.
 *
 * It is that way round because moving a program takes version 2 ten milliseconds of waiting, and nobody waits for it here.
 */
export class CommandGroups {
  readonly #session: ControlGroup;
  /** By the ids of commands, until those are over and nothing is in there any more. */
  readonly #groups = new Map<string, CommandGroup>();
  readonly #over = new Set<string>();
  /** Where this program is. Once it cannot move on, commands have none. */
  #here: CommandGroup | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #count = 0;

  private constructor(folder: string) {
    this.#session = new ControlGroup(folder);
  }

  /** `folder`: the session's control group, with this program in it. `undefined` where there can be none. */
  static async open(folder: string): Promise<CommandGroups | undefined> {
    // In version 1 a thread stays where it was made, so all there will be are made now.
    await access("/");
    const groups = new CommandGroups(folder);
    groups.#here = await groups.#enterNext();
    return groups.#here === undefined ? undefined : groups;
  }

  /** What `start` starts is in a group of its own, and nothing else is. */
  start<T>(id: string, start: () => Promise<T>): Promise<T> {
    const started = this.#turn.then(() => {
      if (this.#here !== undefined) this.#groups.set(id, this.#here);
      return start();
    });
    const failed = (): void => void this.#over.add(id);
    this.#turn = started.then(nothing, failed).then(() => this.#moveOn());
    return started;
  }

  /** Of a command that has started; `undefined` where it has none, and when it is over and nothing was left of it. */
  get(id: string): CommandGroup | undefined {
    return this.#groups.get(id);
  }

  all(): CommandGroup[] {
    return [...this.#groups.values()];
  }

  markEnded(id: string): void {
    const isGone = this.#groups.get(id)?.removeAlone() !== false;
    if (isGone) this.#groups.delete(id);
    if (isGone) this.#over.delete(id);
    else this.#over.add(id);
  }

  async #moveOn(): Promise<void> {
    const left = this.#here;
    if (left === undefined) return;
    this.#here = left.leave() ? await this.#enterNext() : undefined;
    if (this.#here === undefined) left.isExclusive = false;
    for (const id of this.#over) this.markEnded(id);
  }

  /** The next group, with this program in it; `undefined` where that cannot be. */
  async #enterNext(): Promise<CommandGroup | undefined> {
    const { folder, movesThreads } = this.#session;
    const group = new CommandGroup(join(folder, String(++this.#count)), movesThreads);
    try {
      mkdirSync(group.folder);
      // What holds for the first one holds for all.
      if (this.#count === 1 && !group.canBeEnded) throw new Error("what is in it could get away");
      await group.enter();
      return group;
    } catch {
      attempt(() => group.leave());
      group.removeAlone();
      return undefined;
    }
  }
}

function nothing(): void {}
