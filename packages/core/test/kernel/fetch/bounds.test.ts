import { describe, expect, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../../test/support/until.ts";
import { HaftError } from "../../../src/contract/errors.ts";
import type { NetworkAnswer } from "../../../src/kernel/fetch/network-port.ts";
import { getCode, getOutcomeText } from "../../support/kernel.ts";
import { createScriptedNetwork, openFetchSession } from "./support.ts";

describe("limits", () => {
  test("end a body that is too large during the read, and its connection", async () => {
    const network = createScriptedNetwork({ body: ["12345", "67890", "more"] });
    const { use, returned } = await openFetchSession(network);
    const seen = await use(async ({ fetch }) => {
      const response = await fetch("http://example.com/", { maxBytes: 10 });
      const thrown = await response.text().catch((error: unknown) => error);
      const fits = await (await fetch("http://example.com/", { maxBytes: 14 })).text();
      return { thrown, fits };
    });
    expect(seen).toMatchObject({ thrown: { code: "BODY_TOO_LARGE" }, fits: "1234567890more" });
    expect(returned()).toBe(1);
  });

  test("end a request body that is too large, also in endless parts", async () => {
    const { use, asked } = await openFetchSession(createScriptedNetwork({}));
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    });
    const thrown = await use(({ fetch }) =>
      fetch("http://example.com/", { method: "POST", body: endless }).catch((error: unknown) => error),
    );
    expect(thrown).toMatchObject({ code: "BODY_TOO_LARGE", receipt: "none" });
    expect(asked).toEqual([]);
  });

  test("refuse a host that is too long, requested or redirected", async () => {
    const long = `http://${"a.".repeat(10_000)}example.com/`;
    const { use, asked } = await openFetchSession(
      createScriptedNetwork({ status: 302, headers: [["location", long]] }),
    );
    for (const url of [long, "http://example.com/"]) {
      const thrown = await use(({ fetch }) => fetch(url).catch((error: unknown) => error));
      expect((thrown as HaftError).message).toMatch(/its host name is too long/);
      expect((thrown as HaftError).message.length).toBeLessThan(500);
    }
    expect(asked).toHaveLength(1);
  });

  test("end a late response", async () => {
    const { use } = await openFetchSession(createScriptedNetwork("never"));
    const thrown = await use(({ fetch }) =>
      fetch("http://example.com/", { timeoutMs: 10 }).catch((error: unknown) => error),
    );
    expect(thrown).toMatchObject({ code: "FETCH_FAILED" });
  });

  test("end work that ignores signals: a lookup, and a request body without end", async () => {
    const late = Promise.withResolvers<NetworkAnswer>();
    let returned = 0;
    const { use } = await openFetchSession({ request: () => late.promise });
    const codes = await use(async ({ fetch }) => {
      const body = new ReadableStream();
      const all = [{}, { method: "POST", body }].map((init) =>
        fetch("http://example.com/", { timeoutMs: 50, ...init }).catch((error: unknown) => error),
      );
      return Promise.all(all);
    });
    expect(codes).toMatchObject([{ code: "FETCH_FAILED" }, { code: "FETCH_FAILED" }]);
    // What comes after all is closed.
    const parts: AsyncIterator<Uint8Array> = {
      next: async () => ({ done: true, value: undefined }),
      return: async () => ({ done: true, value: void returned++ }),
    };
    late.resolve({ status: 200, statusText: "", headers: [], body: { [Symbol.asyncIterator]: () => parts } });
    await expect.poll(() => returned).toBe(1);
  });

  test("end a late body", async () => {
    const { use } = await openFetchSession(createScriptedNetwork({ body: ["begun", "never"] }));
    const thrown = await use(async ({ fetch }) => {
      const response = await fetch("http://example.com/", { timeoutMs: 50 });
      return response.text().catch((error: unknown) => error);
    });
    expect(thrown).toMatchObject({ code: "FETCH_FAILED" });
  });

  test("refuse too many concurrent requests of a call", async () => {
    const { use } = await openFetchSession(createScriptedNetwork({ body: ["text"] }));
    const seen = await use(async ({ fetch }) => {
      const open = await Promise.all(Array.from({ length: 32 }, () => fetch("http://example.com/")));
      const one = await fetch("http://example.com/").catch((error: unknown) => error);
      await open[0]!.text();
      const freed = await fetch("http://example.com/");
      return [(one as HaftError).code, freed.status];
    });
    expect(seen).toEqual(["FETCH_INVALID", 200]);
  });
});

describe("the end of a request", () => {
  test("comes with the tool's own signal and its reason", async () => {
    const { use } = await openFetchSession(createScriptedNetwork("never"));
    const controller = new AbortController();
    const reason = new Error("not wanted any more");
    const thrown = await use(({ fetch }) => {
      setImmediate(() => controller.abort(reason));
      return fetch("http://example.com/", { signal: controller.signal }).catch((error: unknown) => error);
    });
    expect(thrown).toBe(reason);
  });

  test("comes with an abort of the call, which is cancelled", async () => {
    const { session, start, asked, aborted } = await openFetchSession(createScriptedNetwork("never"));
    const call = start(({ fetch }) => fetch("http://example.com/"));
    await vi.waitFor(() => expect(asked).toHaveLength(1), PATIENCE_MS);
    session.abort("call_1");
    expect(getCode(await call)).toBe("CANCELLED");
    expect(aborted()).toBe(1);
  });

  test("comes with the end of the call, and its context sends nothing later", async () => {
    const { use, aborted } = await openFetchSession(createScriptedNetwork({ body: ["begun", "never"] }));
    let later: Promise<unknown> | undefined;
    let again: (() => Promise<unknown>) | undefined;
    await use(async ({ fetch }) => {
      const response = await fetch("http://example.com/");
      later = response.text().catch((error: unknown) => error);
      again = () => fetch("http://example.com/").catch((error: unknown) => error);
    });
    expect(await later).toMatchObject({ name: "AbortError" });
    expect(aborted()).toBe(1);
    expect(await again!()).toMatchObject({
      code: "FETCH_INVALID",
      message: expect.stringContaining("has ended"),
    });
  });

  test("brings errors of the network to the tool and the model", async () => {
    const { start } = await openFetchSession({
      request: () =>
        Promise.reject(
          new HaftError("ADDRESS_REFUSED", "It is private.", { category: "policy", receipt: "none" }),
        ),
    });
    const outcome = await start(({ fetch }) => fetch("http://example.com/"));
    expect([getCode(outcome), outcome.receipt, getOutcomeText(outcome)]).toEqual([
      "ADDRESS_REFUSED",
      "none",
      "Error: It is private.",
    ]);
    const broken = await openFetchSession({ request: () => Promise.reject(new Error("torn")) });
    expect(getCode(await broken.start(({ fetch }) => fetch("http://example.com/")))).toBe("FETCH_FAILED");
  });

  test("handles unknown statuses and statuses without a body", async () => {
    const odd = await openFetchSession(createScriptedNetwork({ status: 999, body: ["unread"] }));
    const thrown = await odd.use(({ fetch }) =>
      fetch("http://example.com/").catch((error: unknown) => error),
    );
    expect(thrown).toMatchObject({ code: "FETCH_FAILED", message: expect.stringContaining("999") });
    expect(odd.returned()).toBe(1);
    const empty = await openFetchSession(createScriptedNetwork({ status: 204, body: ["lies"] }));
    expect(await empty.use(async ({ fetch }) => (await fetch("http://example.com/")).text())).toBe("");
    expect(empty.returned()).toBe(1);
  });
});
