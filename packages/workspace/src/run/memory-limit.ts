import { attempt } from "@haft/system/processes";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Control groups as a container sees its own: version 2, version 1. */
const GROUPS = [
  { events: "/sys/fs/cgroup/memory.events", limit: "/sys/fs/cgroup/memory.max" },
  {
    events: "/sys/fs/cgroup/memory/memory.oom_control",
    limit: "/sys/fs/cgroup/memory/memory.limit_in_bytes",
  },
];
const MIB = 1024 * 1024;
const FIRST_TO_GO = "1000";
const NO_LIMIT_MB = 64 * 1024 * 1024;

export class MemoryLimit {
  /** In MiB. */
  readonly mb: number;
  readonly #events: string;

  private constructor(mb: number, events: string) {
    this.mb = mb;
    this.#events = events;
  }

  static find(): MemoryLimit | undefined {
    const group = GROUPS.find(({ events }) => existsSync(events));
    if (group === undefined) return undefined;
    const mb = Math.floor(Number(textOf(group.limit)) / MIB);
    return mb > 0 && mb < NO_LIMIT_MB ? new MemoryLimit(mb, group.events) : undefined;
  }

  /** How many processes the kernel has ended for it so far. */
  get kills(): number {
    return Number(/^oom_kill (\d+)$/m.exec(textOf(this.#events))?.[1] ?? 0);
  }
}

/** When memory runs out, the kernel ends this process and what it starts from now on, and not this program. */
export function preferForOomKill(pid: number): void {
  const path = `/proc/${pid}/oom_score_adj`;
  // Unless it has ended, or become somebody else.
  if (textOf(path) === FIRST_TO_GO) return;
  attempt(() => writeFileSync(path, FIRST_TO_GO));
  for (const child of textOf(`/proc/${pid}/task/${pid}/children`).split(" ")) {
    if (child !== "") preferForOomKill(Number(child));
  }
}

function textOf(path: string): string {
  return attempt(() => readFileSync(path, "utf8").trim()) ?? "";
}
