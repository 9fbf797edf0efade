import { createHost, type Host, type HostOptions } from "@haft/host";
import type { InspectorEvent, ServedInspector } from "@haft/inspector";
import { request } from "node:http";
import { onTestFinished, vi } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { inspect, type InspectOptions } from "../../src/host/inspect.ts";

/** An answer of the inspector. */
export interface InspectorResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  // Each test looks at the fields it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** How it is asked. */
export interface InspectorRequest {
  method?: string;
  body?: unknown;
  token?: string | undefined;
  headers?: Readonly<Record<string, string>>;
}

/** A host with a page that decides, both gone after the test. */
export async function openInspectedHost(
  options: HostOptions = {},
  page: InspectOptions = {},
): Promise<{ folder: string; host: Host; page: InspectorClient & { served: ServedInspector } }> {
  const folder = await temporaryFolder();
  const host = await createHost({
    workspaceDir: folder,
    stateDir: getStateFolder(folder),
    administratorPolicy: false,
    ...options,
  });
  onTestFinished(() => host.close());
  return { folder, host, page: openInspectorClient(await inspect(host, { act: true, ...page })) };
}

/** An inspector that can be asked. */
export interface InspectorClient {
  token: string;
  readOnlyToken: string;
  ask: (path: string, how?: InspectorRequest) => Promise<InspectorResponse>;
  get: (path: string) => Promise<InspectorResponse["body"]>;
  post: (path: string, body: unknown, method?: string) => Promise<InspectorResponse>;
  events: (lastId?: string) => Promise<Stream>;
  readOnlyEvents: () => Promise<Stream>;
}

/** @param served closed after the test */
export function openInspectorClient(served: ServedInspector): InspectorClient & { served: ServedInspector } {
  onTestFinished(() => served.close());
  return { served, ...createClientAt(served) };
}

/** One that is served, wherever. */
export function createClientAt({
  url,
  lookUrl,
  port,
}: Pick<ServedInspector, "url" | "lookUrl" | "port">): InspectorClient {
  const [token, lookToken] = [url, lookUrl].map((each) => each.split("#")[1]!) as [string, string];
  const ask = (path: string, how: InspectorRequest = {}) => send(port, path, { token, ...how });
  return {
    token,
    readOnlyToken: lookToken,
    ask,
    get: async (path) => {
      const { status, body, text } = await ask(path);
      if (status !== 200) throw new Error(`${path} is answered ${status}: ${text}`);
      return body;
    },
    post: (path, body, method = "POST") => ask(path, { method, body }),
    events: (lastId) => openStream(port, token, lastId),
    readOnlyEvents: () => openStream(port, lookToken),
  };
}

/** One request, with whatever headers: what `fetch` would not let a page say, too. */
export function send(
  port: number,
  path: string,
  { method = "GET", body, token, headers = {} }: InspectorRequest,
): Promise<InspectorResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        path,
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What came by a stream of events so far. */
export interface Stream {
  events: InspectorEvent[];
  ids: string[];
  /** Resolves with the first event that fits. */
  until: (fits: (event: InspectorEvent) => boolean) => Promise<InspectorEvent>;
  close: () => void;
}

async function openStream(port: number, token: string, lastId?: string): Promise<Stream> {
  const events: InspectorEvent[] = [];
  const ids: string[] = [];
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const response = await fetch(`http://127.0.0.1:${port}/api/events`, {
    headers: { authorization: `Bearer ${token}`, ...(lastId !== undefined && { "last-event-id": lastId }) },
    signal: ended.signal,
  });
  if (response.status !== 200) throw new Error(`events are answered ${response.status}`);
  void (async () => {
    let rest = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + chunk).split("\n\n");
      rest = frames.pop()!;
      for (const frame of frames) {
        const [, id] = /^id: (.+)$/m.exec(frame) ?? [];
        const [, data] = /^data: (.+)$/m.exec(frame) ?? [];
        if (id !== undefined) ids.push(id);
        if (data !== undefined) events.push(JSON.parse(data) as InspectorEvent);
      }
    }
  })().catch(() => {});
  return {
    events,
    ids,
    until: (fits) =>
      vi.waitUntil(() => events.find(fits), { timeout: 60_000, interval: 5 }) as Promise<InspectorEvent>,
    close: () => ended.abort(),
  };
}
