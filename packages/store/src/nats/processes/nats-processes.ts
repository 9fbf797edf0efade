import { MAX_PROCESSES } from "../../defaults.ts";
import type { ProcessRecord, ProcessStore } from "../../state-store.ts";
import type { Link } from "../connection/link.ts";
import { idToken } from "../connection/names.ts";
import { readMessages } from "../connection/read-messages.ts";

/** Stores commands in the bucket of runs. All hosts read them; each command runs on its machine. */
export class NatsProcesses implements ProcessStore {
  readonly #link: Link;
  readonly #written = new Map<string, Set<string>>();

  constructor(link: Link) {
    this.#link = link;
  }

  async list(runId: string): Promise<readonly ProcessRecord[]> {
    const { names } = this.#link;
    const filter = `$KV.${names.runs}.${keyOf(runId, "*")}`;
    const messages = await readMessages(this.#link, `KV_${names.runs}`, filter, { last: true });
    const stored = messages.flatMap(({ data }) => (data.length === 0 ? [] : (readProcess(data) ?? [])));
    return stored.toSorted((a, b) => a.info.startedAt - b.info.startedAt).slice(-MAX_PROCESSES);
  }

  async put(runId: string, stored: ProcessRecord): Promise<void> {
    const key = keyOf(runId, stored.info.id);
    await this.#link.ask("The command could not be stored", () =>
      this.#link.runs.put(key, JSON.stringify(stored)),
    );
    let written = this.#written.get(runId);
    if (written === undefined) this.#written.set(runId, (written = new Set()));
    written.add(key);
    const [oldest] = written;
    if (written.size <= MAX_PROCESSES || oldest === undefined) return;
    written.delete(oldest);
    await this.#forget(oldest);
  }

  async remove(runId: string, id: string): Promise<void> {
    const key = keyOf(runId, id);
    this.#written.get(runId)?.delete(key);
    await this.#forget(key);
  }

  async #forget(key: string): Promise<void> {
    await purgeProcesses(this.#link, key);
  }
}

export async function forgetProcesses(link: Link, runId: string): Promise<void> {
  await purgeProcesses(link, keyOf(runId, "*"));
}

async function purgeProcesses(link: Link, key: string): Promise<void> {
  const { runs } = link.names;
  await link.ask("The command could not be removed", () =>
    link.jsm.streams.purge(`KV_${runs}`, { filter: `$KV.${runs}.${key}` }),
  );
}

/** Keys of runs have two tokens. */
function keyOf(runId: string, id: string): string {
  return `process.${idToken(runId)}.${id === "*" ? id : idToken(id)}`;
}

function readProcess(data: Uint8Array): ProcessRecord | undefined {
  try {
    const stored = JSON.parse(new TextDecoder().decode(data)) as Partial<ProcessRecord> | null;
    return typeof stored?.info?.startedAt === "number" ? (stored as ProcessRecord) : undefined;
  } catch {
    return undefined;
  }
}
