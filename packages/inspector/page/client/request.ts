import type { Api, ApiError, ErrorResponse } from "../../src/wire/api.ts";
import { dropToken, getToken } from "./token.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";
type Values = Readonly<Record<string, string>>;
type QueryOf<Key extends keyof Api> = Api[Key]["query"];
type BodyOf<Key extends keyof Api> = Api[Key] extends { body: infer Body } ? Body : undefined;

export interface RequestOptions<Key extends keyof Api> {
  path?: Values;
  query?: QueryOf<Key>;
  body?: BodyOf<Key>;
  signal?: AbortSignal;
}

/** The server rejected it or is `UNREACHABLE`. */
export class RequestError extends Error {
  readonly status: number;
  readonly error: ApiError;

  constructor(status: number, fault: ApiError) {
    super(fault.message);
    this.status = status;
    this.error = fault;
  }
}

/** The server rejected the token. */
export const tokenRefused: { listener?: (fault: ApiError) => void } = {};

export async function callApi<Key extends keyof Api>(
  key: Key,
  options: RequestOptions<Key> = {},
): Promise<Api[Key]["answer"]> {
  const [method, path] = key.split(" ") as [Method, string];
  const { body, signal } = options;
  const response = await send(addressOf(path, options.path ?? {}, options.query ?? {}), {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    ...(signal === undefined ? {} : { signal }),
  });
  return (await response.json()) as Api[Key]["answer"];
}

type Answerer = (address: string, init: RequestInit) => Promise<Response>;

let answerer: Answerer = (address, init) => {
  const headers = new Headers(init.headers);
  const token = getToken();
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  return fetch(address, { ...init, headers, cache: "no-store", credentials: "omit", redirect: "error" });
};

/** Exported pages contain their data. */
export function setAnswerer(other: Answerer): void {
  answerer = other;
}

/** @throws {@link RequestError} */
export async function send(address: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await answerer(address, init);
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown;
    throw new RequestError(0, { code: "UNREACHABLE", category: "operational", message: String(thrown) });
  }
  if (response.ok) return response;
  const fault = await faultOf(response);
  if (response.status === 401) {
    dropToken();
    tokenRefused.listener?.(fault);
  }
  throw new RequestError(response.status, fault);
}

function addressOf(path: string, values: Values, query: object): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, string | number | undefined][])
    if (value !== undefined && value !== "") search.set(name, String(value));
  return `.${filled}${search.size === 0 ? "" : `?${search}`}`;
}

async function faultOf(response: Response): Promise<ApiError> {
  try {
    return ((await response.json()) as ErrorResponse).error;
  } catch {
    return {
      code: `HTTP_${response.status}`,
      category: "internal",
      message: `The server answered with ${response.status} ${response.statusText}.`,
    };
  }
}
