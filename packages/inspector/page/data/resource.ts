import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ApiError } from "../../src/wire/api.ts";
import { onEvent } from "../client/event-stream.ts";
import { RequestError } from "../client/request.ts";
import { generation } from "./about.ts";

export interface Resource<Value> {
  value: Signal<Value | undefined>;
  error: Signal<ApiError | undefined>;
  loading: Signal<boolean>;
  reload: () => void;
}

/** Fetches if `keys` change or events are missing, and cancels the previous request. Retries if the server is unreachable. */
export function useResource<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
): Resource<Value> {
  const held = useMemo(() => {
    const state = {
      value: signal<Value | undefined>(undefined),
      fault: signal<ApiError | undefined>(undefined),
      loading: signal(true),
    };
    return { ...state, again: signal(0), key: "" };
  }, []);
  const key = JSON.stringify(keys);
  const [round, missed] = [held.again.value, generation.value];
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type === "hello" && isUnreachable(held.fault.peek())) held.again.value++;
      }),
    [],
  );
  useEffect(() => {
    if (missed === 0) return undefined;
    const abort = new AbortController();
    if (held.key !== key) held.value.value = undefined;
    held.key = key;
    held.loading.value = true;
    const fetchIt = async () => {
      try {
        const value = await load(abort.signal);
        if (abort.signal.aborted) return;
        held.value.value = value;
        held.fault.value = undefined;
      } catch (thrown) {
        if (abort.signal.aborted) return;
        held.fault.value = toApiError(thrown);
      }
      held.loading.value = false;
    };
    void fetchIt();
    return () => abort.abort();
  }, [key, round, missed]);
  return { value: held.value, error: held.fault, loading: held.loading, reload: () => held.again.value++ };
}

export function isUnreachable(fault: ApiError | undefined): boolean {
  return fault?.code === "UNREACHABLE";
}

export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof RequestError) return thrown.error;
  return {
    code: "PAGE_FAILED",
    category: "internal",
    message: thrown instanceof Error ? thrown.message : String(thrown),
  };
}
