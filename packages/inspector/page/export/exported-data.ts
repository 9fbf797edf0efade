import type { CallDetail, CallRow, CallListPage, Run, TextPage } from "../../src/wire/api.ts";
import type { ExportRecord } from "../../src/wire/export.ts";

export class ExportedData {
  readonly runs: Run[] = [];
  /** Calls without details, because of the size. */
  cut = 0;
  readonly #calls = new Map<string, CallDetail[]>();

  /** @param text Lines of JSON. */
  constructor(text: string) {
    for (const line of text.split("\n")) if (line !== "") this.#add(JSON.parse(line) as ExportRecord);
    for (const run of this.runs) {
      const calls = this.#calls.get(run.runId)!;
      run.calls = calls.at(-1)?.seq ?? 0;
      run.lastAt ??= calls.at(-1)?.createdAt ?? run.openedAt;
    }
  }

  /** Responds like the server. @param path Without `./api/`. */
  answer(path: string, query: URLSearchParams): unknown {
    const [kind, runId = "", part, callId = "", what] = path.split("/").map(decodeURIComponent);
    if (kind === "runs" && runId === "") return { items: this.runs.toReversed() };
    if (kind === "calls") return this.#find(query);
    if (kind !== "runs") return undefined;
    if (part === undefined) return this.runs.find((run) => run.runId === runId);
    const call = this.#calls.get(runId)?.find(({ toolCallId }) => toolCallId === callId);
    if (call === undefined || part !== "calls") return undefined;
    if (what === undefined) return { ...call, children: this.#childrenOf(call) };
    return what === "output" ? outputOf(call, query) : undefined;
  }

  #add(record: ExportRecord): void {
    if ("run" in record) {
      this.runs.push(record.run);
      this.#calls.set(record.run.runId, []);
      return;
    }
    this.#calls.get(record.call.runId)!.push(record.call);
    if (record.isCut) this.cut++;
  }

  #find(query: URLSearchParams): CallListPage {
    const calls = this.#calls.get(query.get("run") ?? "") ?? [];
    const [from, limit] = [query.get("seq"), Number(query.get("limit") ?? 100)];
    if (from !== null) {
      const to = Number(from) + limit;
      return { items: calls.filter(({ seq = 0 }) => seq >= Number(from) && seq < to).map(rowOf) };
    }
    const words = (query.get("text") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (call: CallDetail) =>
      [call.toolName, null, ""].includes(query.get("tool")) &&
      [call.stand, null, ""].includes(query.get("outcome")) &&
      (words.length === 0 || hasWords(JSON.stringify(call).toLowerCase(), words));
    return { items: calls.filter(fits).toReversed().map(rowOf) };
  }

  #childrenOf({ runId, toolCallId }: CallDetail): CallRow[] {
    return this.#calls
      .get(runId)!
      .filter(({ parentCallId }) => parentCallId === toolCallId)
      .map(rowOf);
  }
}

function hasWords(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

function rowOf(call: CallDetail): CallRow {
  const { args: _, result: _result, files: _files, plan: _plan, children: _children, ...row } = call;
  return row;
}

function outputOf({ result }: CallDetail, query: URLSearchParams): TextPage {
  const texts = (result?.blocks ?? []).flatMap((block) => (block.type === "text" ? [block.text] : []));
  const bytes = new TextEncoder().encode(texts.join("\n"));
  const [from, total] = [Math.min(Number(query.get("from") ?? 0), bytes.length), bytes.length];
  const next = Math.min(total, from + Number(query.get("max") ?? total));
  const text = new TextDecoder().decode(bytes.subarray(from, next));
  return { text, from, next, total, dropped: 0, open: false, source: "ledger" };
}
