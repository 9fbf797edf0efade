import { describe, expect, test } from "vitest";
import type { ToolContext } from "../../../src/contract/tool.ts";
import { createScriptedNetwork, openFetchSession } from "./support.ts";

test("sends a request unchanged and returns the response like the standard fetch", async () => {
  const { use, asked } = await openFetchSession(
    createScriptedNetwork({
      status: 201,
      statusText: "Made",
      headers: [
        ["Content-Type", "text/plain"],
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
      ],
      body: ["some ", "text"],
    }),
  );
  const response = await use(async ({ fetch }) => {
    const got = await fetch("HTTPS://Example.COM./a b?q=ü#part", {
      method: "post",
      headers: { "X-Own": "yes" },
      body: new URLSearchParams({ a: "1" }),
    });
    const { status, statusText, ok, url, redirected, headers } = got;
    return {
      status,
      statusText,
      ok,
      url,
      redirected,
      cookies: headers.getSetCookie(),
      text: await got.text(),
    };
  });
  expect(response).toEqual({
    status: 201,
    statusText: "Made",
    ok: true,
    url: "https://example.com/a%20b?q=%C3%BC",
    redirected: false,
    cookies: ["a=1", "b=2"],
    text: "some text",
  });
  expect(asked).toEqual([
    {
      url: "https://example.com/a%20b?q=%C3%BC",
      method: "POST",
      headers: [
        ["content-type", "application/x-www-form-urlencoded;charset=UTF-8"],
        ["x-own", "yes"],
      ],
      body: "a=1",
    },
  ]);
});

test("sends bodies of every kind completely", async () => {
  const { use, asked } = await openFetchSession(createScriptedNetwork({ body: [] }));
  const parts = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("in "));
      controller.enqueue(new TextEncoder().encode("parts"));
      controller.close();
    },
  });
  await use(async ({ fetch }) => {
    for (const body of ["text", new Uint8Array([98, 121]), new Blob(["blob"]), parts])
      await fetch("http://example.com", { method: "PUT", body });
  });
  expect(asked.map(({ body }) => body)).toEqual(["text", "by", "blob", "in parts"]);
});

test("sends a Request, and an option wins over its value, like the standard fetch", async () => {
  const { use, asked } = await openFetchSession(
    createScriptedNetwork({ status: 302, headers: [["location", "/b"]] }),
  );
  const options = { method: "POST", headers: { a: "1" }, body: "text", redirect: "manual" } as const;
  const statuses = await use(async ({ fetch }) => {
    const answers = [
      await fetch(new Request("http://example.com/a", options)),
      await fetch(new Request("http://example.com/a", options), {
        method: "PUT",
        body: "other",
        signal: undefined!,
      }),
    ];
    return answers.map(({ status }) => status);
  });
  expect(statuses).toEqual([302, 302]);
  expect(asked.map(({ method, body }) => [method, body])).toEqual([
    ["POST", "text"],
    ["PUT", "other"],
  ]);
});

test("ends with the signal of a Request", async () => {
  const network = createScriptedNetwork("never");
  const { use } = await openFetchSession(network);
  const thrown = await use(({ fetch }) => {
    const controller = new AbortController();
    const answer = fetch(new Request("http://example.com", { signal: controller.signal }));
    controller.abort(new Error("the caller stopped it"));
    return answer.catch((error: unknown) => error);
  });
  expect(thrown).toMatchObject({ message: "the caller stopped it" });
});

test("is a fetch for libraries that take one", () => {
  const take = (given: (input: string | URL | Request, init?: RequestInit) => Promise<Response>): unknown =>
    given;
  expect(({ fetch }: ToolContext) => take(fetch)).toBeTypeOf("function");
});

/** Returns a request whose body was read before. */
function readRequest(): Request {
  const request = new Request("http://example.com", { method: "POST", body: "text" });
  void request.text();
  return request;
}

test.each<[string, unknown, RequestInit | undefined, RegExp]>([
  ["nothing", undefined, undefined, /takes an address/],
  ["a number", 7, undefined, /takes an address as text or as URL, or a Request, received number/],
  ["an object", { url: "http://example.com" }, undefined, /or a Request, received object/],
  ["a request to a file", new Request("file:///a"), undefined, /file: is neither/],
  ["a request whose body was read", readRequest(), undefined, /is invalid/],
  ["no address", "example.com/page", undefined, /is not an address/],
  ["a file", "file:///etc/passwd", undefined, /file: is neither https: nor http:/],
  ["data", "data:text/plain,hello", undefined, /data: is neither/],
  ["another protocol", "ftp://example.com/", undefined, /ftp: is neither/],
  ["a user", "https://user:secret@example.com/", undefined, /example\.com contains a user/],
  [
    "a user that looks like a host",
    "https://example.com@evil.example.net/",
    undefined,
    /evil\.example\.net contains a user/,
  ],
  ["no host but dots", "http://../", undefined, /is not an address/],
  ["an invalid method", "http://example.com", { method: "GE T" }, /method/i],
  ["a tunnel", "http://example.com", { method: "CONNECT" }, /CONNECT/],
  ["a body without its method", "http://example.com", { body: "text" }, /body/],
  [
    "another host",
    "http://example.com",
    { headers: { Host: "inner.example.net" } },
    /Tools cannot set the header host/,
  ],
  [
    "headers for a proxy",
    "http://example.com",
    { headers: { "Proxy-Authorization": "x" } },
    /header proxy-authorization/,
  ],
  ["another protocol later", "http://example.com", { headers: { Upgrade: "h2c" } }, /header upgrade/],
  ["a header with a line break", "http://example.com", { headers: { a: "b\r\nc: d" } }, /header/i],
  ["an invalid limit", "http://example.com", { maxBytes: 0 } as RequestInit, /maxBytes is a whole number/],
  ["a limit beyond the maximum", "http://example.com", { maxBytes: 2 ** 40 } as RequestInit, /maxBytes/],
  ["no time", "http://example.com", { timeoutMs: Number.NaN } as RequestInit, /timeoutMs/],
])("rejects an invalid request: %s", async (_what, input, init, message) => {
  const { use, asked } = await openFetchSession(createScriptedNetwork({}));
  const thrown = await use(({ fetch }) => fetch(input as string, init).catch((error: unknown) => error));
  expect(thrown).toMatchObject({ code: "FETCH_INVALID", category: "input", receipt: "none" });
  expect((thrown as Error).message).toMatch(message);
  expect(asked).toEqual([]);
});

test("drops headers of the connection, and limits the address in errors", async () => {
  const { use, asked } = await openFetchSession(createScriptedNetwork({}));
  const headers = {
    Connection: "close",
    "Content-Length": "7",
    "Transfer-Encoding": "chunked",
    TE: "x",
    Accept: "a/b",
  };
  await use(({ fetch }) => fetch("http://example.com", { headers }));
  expect(asked[0]?.headers).toEqual([["accept", "a/b"]]);
  const thrown = await use(({ fetch }) => fetch("x".repeat(10_000)).catch((error: unknown) => error));
  expect((thrown as Error).message.length).toBeLessThan(400);
});

describe("redirects", () => {
  const leads = (...hops: [status: number, location: string][]) =>
    createScriptedNetwork(
      ...hops.map(([status, location]) => ({
        status,
        headers: [["Location", location]] as [string, string][],
      })),
      {
        body: ["there"],
      },
    );

  test.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [307, "POST", "POST"],
    [308, "PUT", "PUT"],
    [301, "PUT", "PUT"],
    [303, "HEAD", "HEAD"],
  ])("are followed with %d after %s with %s", async (status, method, next) => {
    const { use, asked } = await openFetchSession(leads([status, "/next"]));
    const body = method === "HEAD" ? undefined : "content";
    const headers = { "content-type": "text/x", "x-own": "yes" };
    await use(({ fetch }) => fetch("http://example.com/", { method, headers, ...(body && { body }) }));
    const isSame = next === method && method !== "HEAD";
    expect(asked[1]).toMatchObject({ method: next, url: "http://example.com/next" });
    expect(asked[1]?.body).toBe(isSame ? "content" : undefined);
    expect(Object.fromEntries(asked[1]!.headers)).toEqual(next === method ? headers : { "x-own": "yes" });
  });

  test.each([
    ["another host", "http://other.example.com/"],
    ["another port", "http://example.com:8080/"],
    ["another protocol", "https://example.com/"],
  ])("drop possible secrets on the way to %s and back", async (_what, elsewhere) => {
    const { use, asked } = await openFetchSession(leads([302, elsewhere], [302, "http://example.com/back"]));
    const headers = { Authorization: "Bearer s", Cookie: "s=1", "X-Api-Key": "s", Accept: "text/html" };
    await use(({ fetch }) => fetch("http://example.com/", { headers }));
    expect(asked.map((each) => each.headers.map(([name]) => name))).toEqual([
      ["accept", "authorization", "cookie", "x-api-key"],
      ["accept"],
      ["accept"],
    ]);
  });

  test("give the response its final address, and keep the fragment", async () => {
    const { use } = await openFetchSession(leads([302, "//other.example.com/a"], [308, "b?c#d"]));
    const seen = await use(async ({ fetch }) => {
      const { url, redirected } = await fetch("https://example.com/#part");
      return [url, redirected];
    });
    expect(seen).toEqual(["https://other.example.com/b?c", true]);
  });

  test.each([
    ["a file", "file:///etc/passwd", /file: is neither/],
    ["a script", "javascript:alert(1)", /javascript: is neither/],
    ["a user", "http://a:b@example.com/", /contains a user/],
    ["nonsense", "http://[", /is not an address/],
  ])("are not followed to %s", async (_what, location, message) => {
    const { use, asked } = await openFetchSession(leads([302, location]));
    const thrown = await use(({ fetch }) => fetch("http://example.com/").catch((error: unknown) => error));
    expect(thrown).toMatchObject({ code: "FETCH_FAILED", message: expect.stringMatching(message) });
    expect(asked.length).toBe(1);
  });

  test("are limited, can be disabled or manual, and need a location", async () => {
    const round = leads(...Array.from({ length: 30 }, (_, at): [number, string] => [302, `/${at}`]));
    const endless = await openFetchSession(round);
    const thrown = await endless.use(({ fetch }) =>
      fetch("http://example.com/").catch((error: unknown) => error),
    );
    expect(thrown).toMatchObject({
      code: "FETCH_FAILED",
      message: "example.com redirects more than 20 times.",
    });
    expect(endless.asked.length).toBe(21);
    const once = await openFetchSession(leads([302, "/next"]));
    expect(
      await once.use(({ fetch }) =>
        fetch("http://example.com/", { redirect: "error" }).catch((error: unknown) => error),
      ),
    ).toMatchObject({ code: "FETCH_FAILED" });
    const manual = await openFetchSession(leads([302, "/next"]));
    expect(
      await manual.use(async ({ fetch }) => {
        const { status, headers } = await fetch("http://example.com/", { redirect: "manual" });
        return [status, headers.get("location")];
      }),
    ).toEqual([302, "/next"]);
    const nowhere = await openFetchSession(createScriptedNetwork({ status: 302 }));
    expect(await nowhere.use(async ({ fetch }) => (await fetch("http://example.com/")).status)).toBe(302);
  });
});
