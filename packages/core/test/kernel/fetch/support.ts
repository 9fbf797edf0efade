import type { CallPlan, ToolEffect } from "../../../src/contract/plan.ts";
import type { ToolContext } from "../../../src/contract/tool.ts";
import type { Network, NetworkAnswer } from "../../../src/kernel/fetch/network-port.ts";
import { makeTool, openSession, type TestSession } from "../../support/kernel.ts";

interface Scripted {
  status?: number;
  statusText?: string;
  headers?: [string, string][];
  /** `never`: nothing comes before the request is aborted. */
  body?: string[];
}

/** A network that answers with these in turn, the last of them again and again. */
export function createScriptedNetwork(
  ...all: (Scripted | "never")[]
): Network & { returned: () => number; aborted: () => number } {
  let at = 0;
  let returned = 0;
  let aborted = 0;
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      const end = () => {
        aborted++;
        reject(new Error("the connection was closed"));
      };
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });
  return {
    returned: () => returned,
    aborted: () => aborted,
    async request({ signal }): Promise<NetworkAnswer> {
      const one = all[Math.min(at++, all.length - 1)]!;
      if (one === "never") return untilAborted(signal);
      const { status = 200, statusText = "", headers = [], body } = one;
      if (body === undefined) return { status, statusText, headers };
      let part = 0;
      const parts: AsyncIterator<Uint8Array> = {
        async next() {
          const text = body[part++];
          if (text === "never") return untilAborted(signal);
          return text === undefined
            ? { done: true, value: undefined }
            : { done: false, value: new TextEncoder().encode(text) };
        },
        async return() {
          returned++;
          return { done: true, value: undefined };
        },
      };
      return { status, statusText, headers, body: { [Symbol.asyncIterator]: () => parts } };
    },
  };
}

/** A session with one tool that does what it is told, over this network, which remembers what it was asked. */
export async function openFetchSession(
  network: Network & { returned?: () => number; aborted?: () => number },
  {
    effects = ["network"],
    hosts,
    plan,
    ...setup
  }: TestSession & { effects?: ToolEffect[]; hosts?: string[]; plan?: () => CallPlan } = {},
) {
  const asked: {
    url: string;
    method: string;
    headers: readonly (readonly [string, string])[];
    body?: string;
  }[] = [];
  let act: (context: ToolContext) => unknown = () => {};
  let answer: unknown;
  const session = await openSession({
    ...setup,
    loopGuard: false,
    tools: [
      makeTool("go", {
        effects,
        ...(hosts && { hosts }),
        ...(plan && { plan }),
        async execute(_id, _params, _signal, _onUpdate, context) {
          answer = await act(context);
          return { content: [], details: {} };
        },
      }),
    ],
    open: {
      ...setup.open,
      network: {
        request(request) {
          const { url, method, headers, body } = request;
          asked.push({ url, method, headers, ...(body && { body: new TextDecoder().decode(body) }) });
          return network.request(request);
        },
      },
    },
  });
  const start = (what: typeof act) => {
    act = what;
    return session.call({ name: "go", arguments: {} });
  };
  return {
    session,
    asked,
    start,
    returned: network.returned ?? (() => 0),
    aborted: network.aborted ?? (() => 0),
    /** Resolves to what it answered. */
    async use<T>(what: (context: ToolContext) => T): Promise<Awaited<T>> {
      const outcome = await start(what);
      if (outcome.kind !== "ok") throw new Error(JSON.stringify(outcome));
      return answer as Awaited<T>;
    },
  };
}
