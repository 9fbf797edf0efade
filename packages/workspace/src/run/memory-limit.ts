import { attempt } from "@haft/system/processes";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** A container sees its own group at these paths: version 2, version 1. */
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

  get kills(): number {
    return Number(/^oom_kill (\d+)$/m.exec(textOf(this.#events))?.[1] ?? 0);
  }
}

/** The kernel then kills this process and its descendants before this program. */
export function preferForOomKill(pid: number): void {
  const path = `/proc/${pid}/oom_score_adj`;
  if (textOf(path) === FIRST_TO_GO) return;
  attempt(() => writeFileSync(path, FIRST_TO_GO));
  for (const child of textOf(`/proc/${pid}/task/${pid}/children`).split(" ")) {
    if (child !== "") preferForOomKill(Number(child));
  }
}

function textOf(path: string): string {
  return attempt(() => readFileSync(path, "utf8").trim()) ?? "";
}
