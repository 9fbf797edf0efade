import { attempt } from "@haft/system/processes";
import { closeSync, mkdirSync, openSync, readSync, write, writeSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ControlGroup } from "./control-group.ts";

const SELF = "0";
const MEMBERS = Buffer.alloc(64 * 1024);

export class CommandGroup extends ControlGroup {
  /** False if other commands may be in the group, or this command may not. */
  isExclusive = true;
  #entry: number | undefined;

  override members(): number[] {
    return this.isExclusive ? super.members() : [];
  }

  override stop(): void {
    if (this.isExclusive) super.stop();
  }

  async enter(): Promise<void> {
    this.#entry = openSync(this.entry, "r+");
    // This thread starts programs. Moving a whole program is slow, but any thread can do it.
    if (this.movesThreads) writeSync(this.#entry, SELF);
    else await promisify(write)(this.#entry, SELF);
  }

  leave(): boolean {
    const entry = this.#entry!;
    this.#entry = undefined;
    const length = attempt(() => readSync(entry, MEMBERS, 0, MEMBERS.length, 0)) ?? 0;
    closeSync(entry);
    return MEMBERS.toString("latin1", 0, length).split("\n").includes(String(process.pid));
  }
}

/** Lets this program wait in the next group, so that a command starts in it. In version 2, a move takes ten milliseconds. */
export class CommandGroups {
  readonly #session: ControlGroup;
  readonly #groups = new Map<string, CommandGroup>();
  readonly #over = new Set<string>();
  #here: CommandGroup | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #count = 0;

  private constructor(folder: string) {
    this.#session = new ControlGroup(folder);
  }

  /** `folder`: the session's control group, which contains this program. */
  static async open(folder: string): Promise<CommandGroups | undefined> {
    // In version 1 a thread stays in its group, so all threads are created now.
    await access("/");
    const groups = new CommandGroups(folder);
    groups.#here = await groups.#enterNext();
    return groups.#here === undefined ? undefined : groups;
  }

  start<T>(id: string, start: () => Promise<T>): Promise<T> {
    const started = this.#turn.then(() => {
      if (this.#here !== undefined) this.#groups.set(id, this.#here);
      return start();
    });
    const failed = (): void => void this.#over.add(id);
    this.#turn = started.then(nothing, failed).then(() => this.#moveOn());
    return started;
  }

  get(id: string): CommandGroup | undefined {
    return this.#groups.get(id);
  }

  all(): CommandGroup[] {
    return [...this.#groups.values()];
  }

  markEnded(id: string): void {
    const isRemoved = this.#groups.get(id)?.removeAlone() !== false;
    if (isRemoved) this.#groups.delete(id);
    if (isRemoved) this.#over.delete(id);
    else this.#over.add(id);
  }

  async #moveOn(): Promise<void> {
    const left = this.#here;
    if (left === undefined) return;
    this.#here = left.leave() ? await this.#enterNext() : undefined;
    if (this.#here === undefined) left.isExclusive = false;
    for (const id of this.#over) this.markEnded(id);
  }

  async #enterNext(): Promise<CommandGroup | undefined> {
    const { folder, movesThreads } = this.#session;
    const group = new CommandGroup(join(folder, String(++this.#count)), movesThreads);
    try {
      mkdirSync(group.folder);
      if (this.#count === 1 && !group.canBeEnded) throw new Error("its processes could escape");
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
