import { untilAborted } from "@haft/utils";
import { sdkError } from "../../errors.ts";

declare global {
  // As in the contract: it merges with the types of Node or a browser.
  interface Request {}
}

/** Answers a request. A text is the body of an answer with status 200. */
export type NetworkAnswer =
  | Response
  | string
  | ((request: Request) => Response | string | Promise<Response | string>);

/**
 * Maps addresses to answers: `https://api.example.com/weather`. `*` matches any characters, and a method may precede (`POST https://…`). An
 * address without a query matches any query. The first match is used.
 *
 * @example
 * ```ts
 * import type { NetworkAnswers } from "@haft/plugin-sdk/testing";
 *
 * const answers: NetworkAnswers = {
 *   "https://api.example.com/status": "ok",
 *   "POST https://api.example.com/items": Response.json({ id: 7 }, { status: 201 }),
 *   "https://api.example.com/items*": (request) => new Response(`no ${request.url}`, { status: 404 }),
 * };
 * ```
 */
export type NetworkAnswers = Readonly<Record<string, NetworkAnswer>>;

/** Describes a request of a tool. */
export interface RecordedRequest {
  /** Names the method, in upper case. */
  method: string;
  /** Contains the complete address. */
  url: string;
  /** Contains headers, with names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Contains the body as text; can be empty. */
  body: string;
}

/** Describes a network for tests. No request leaves the process. */
export interface FakeNetwork {
  /** Contains every request, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Answers a request of the kernel. */
  request(request: {
    readonly url: string;
    readonly method: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body?: Uint8Array;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly status: number;
    readonly statusText: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body?: AsyncIterable<Uint8Array>;
  }>;
}

/** These have no body. */
const BODILESS = new Set([204, 205, 304]);

/**
 * Creates a network that gives these answers and records requests. A request without an answer fails with `TEST_REQUEST_UNEXPECTED`.
 *
 * @example
 * ```ts run
 * import { createFakeNetwork } from "@haft/plugin-sdk/testing";
 *
 * const network = createFakeNetwork({ "https://api.example.com/weather": Response.json({ celsius: 21 }) });
 * const { signal } = new AbortController();
 * const url = "https://api.example.com/weather?station=EDDM";
 * const { status } = await network.request({ url, method: "GET", headers: [], signal });
 * status; // => 200
 * network.requests.length; // => 1
 * ```
 */
export function createFakeNetwork(answers: NetworkAnswers = {}): FakeNetwork {
  const requests: RecordedRequest[] = [];
  const compiled = Object.entries(answers).map(([key, answer]) => ({ ...readKey(key), key, answer }));
  return {
    requests,
    request: async ({ url, method, headers, body, signal }) => {
      const text = body === undefined ? "" : new TextDecoder().decode(body);
      requests.push({ method, url, headers: Object.fromEntries(headers), body: text });
      const found = compiled.find((each) => each.fits(method, url));
      if (found === undefined) throw unexpected(method, url, Object.keys(answers));
      const request = new Request(url, {
        method,
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        signal,
        ...(body !== undefined && !["GET", "HEAD"].includes(method) && { body: body.slice() }),
      });
      const answer = await untilAborted(answerOf(found.answer, request, found.key), signal);
      return {
        status: answer.status,
        statusText: answer.statusText,
        headers: [...answer.headers],
        ...(answer.body !== null && !BODILESS.has(answer.status) && { body: answer.body }),
      };
    },
  };
}

async function answerOf(answer: NetworkAnswer, request: Request, key: string): Promise<Response> {
  const given = typeof answer === "function" ? await answer(request) : answer;
  if (typeof given === "string") return new Response(given);
  // One object may answer many requests.
  if (given instanceof Response) return given.clone();
  throw sdkError("INVALID_OPTIONS", `The answer for ${JSON.stringify(key)} is ${typeof given}, no Response.`);
}

function readKey(key: string): { fits: (method: string, url: string) => boolean } {
  const [, method, address] = /^(?:([A-Z]+) )?(.*)$/s.exec(key)!;
  const pattern = address!.split("*").map(escape).join(".*");
  const whole = new RegExp(`^${pattern}$`, "s");
  const hasQuery = address!.includes("?");
  return {
    fits: (asked, url) => {
      if (method !== undefined && method !== asked) return false;
      const { href, origin, pathname } = new URL(url);
      const bare = hasQuery ? href : origin + pathname;
      // A URL always has a path.
      return whole.test(bare) || whole.test(bare.replace(/\/$/, ""));
    },
  };
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function unexpected(method: string, url: string, known: readonly string[]): Error {
  const listed = known.length === 0 ? "It answers nothing" : `It answers ${known.join(", ")}`;
  return sdkError("TEST_REQUEST_UNEXPECTED", `The test has no answer for ${method} ${url}. ${listed}.`, {
    fix: `Add it: network: { ${JSON.stringify(`${method === "GET" ? "" : `${method} `}${url}`)}: Response.json({ … }) }`,
    details: { url, method },
  });
}
