import { signal } from "@preact/signals";
import type { Api, CallRow, ApiError, InspectorEvent } from "../../src/wire/api.ts";
import { onEvent } from "../client/event-stream.ts";
import { callApi } from "../client/request.ts";
import { generation } from "./about.ts";
import { catchUp } from "./catch-up.ts";
import { toApiError, isUnreachable } from "./resource.ts";

type CallsQuery = Api["GET /api/calls"]["query"];

/** Fills any list. */
const ENOUGH = 60;

export class CallMatches {
  readonly rows = signal<readonly CallRow[]>([]);
  readonly isAll = signal(false);
  readonly loading = signal(false);
  readonly error = signal<ApiError | undefined>(undefined);
  /** Newer calls may match. */
  readonly stale = signal(false);
  readonly #query: CallsQuery;
  #next: string | undefined;
  #abort = new AbortController();
  readonly #deaf: () => void;

  constructor(query: CallsQuery) {
    this.#query = query;
    this.#deaf = onEvent((event) => this.#hear(event));
    // Loaded again after the first event.
    if (generation.peek() === 0) this.loading.value = true;
    else void this.more();
  }

  async more(): Promise<void> {
    if (this.loading.value || this.isAll.value) return;
    const before = this.rows.value.length;
    this.loading.value = true;
    this.error.value = undefined;
    const { signal: abort } = this.#abort;
    try {
      const after = this.#next === undefined ? {} : { after: this.#next };
      await catchUp(
        () => callApi("GET /api/calls", { query: { limit: 200, ...this.#query, ...after }, signal: abort }),
        ({ items, next }) => {
          this.rows.value = [...this.rows.value, ...items];
          this.#next = next;
          this.isAll.value = next === undefined;
        },
        (event) => this.#hear(event),
      );
    } catch (thrown) {
      if (!abort.aborted) this.error.value = toApiError(thrown);
    } finally {
      this.loading.value = false;
    }
    // A short list cannot scroll to the next page.
    const { length } = this.rows.value;
    const isLittle = length === before || length < ENOUGH;
    if (isLittle && !abort.aborted && this.error.value === undefined) await this.more();
  }

  close(): void {
    this.#abort.abort();
    this.#deaf();
  }

  #hear(event: InspectorEvent): void {
    if (event.type === "hello" && isUnreachable(this.error.peek())) void this.more();
    if (event.type !== "call") return;
    const { call } = event;
    const { run, session } = this.#query;
    if ((run !== undefined && run !== call.runId) || (session !== undefined && session !== call.sessionKey))
      return;
    const index = this.rows.value.findIndex(
      ({ runId, toolCallId }) => runId === call.runId && toolCallId === call.toolCallId,
    );
    if (index >= 0) this.rows.value = this.rows.value.with(index, call);
    else this.stale.value = true;
  }
}
