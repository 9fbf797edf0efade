import { createHost } from "@haft/host";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { view } from "../../../../test/support/view.ts";
import { inspect } from "../../src/host/inspect.ts";
import { openInspectorClient, openInspectedHost, send } from "../support/inspector-client.ts";

/** Everything that decides or changes something. */
const ACTS: readonly (readonly [method: string, path: string])[] = [
  ["POST", "/api/approvals/abcd"],
  ["DELETE", "/api/grants/abcd"],
  ["PUT", "/api/policy/file"],
  ["POST", "/api/scratch"],
  ["POST", "/api/scratch/x/call"],
  ["POST", "/api/scratch/x/allow"],
  ["DELETE", "/api/scratch/x"],
  ["POST", "/api/runs/r/calls/c/abort"],
  ["POST", "/api/runs/r/processes/p/write"],
  ["POST", "/api/runs/r/processes/p/kill"],
  ["POST", "/api/runs/r/processes/p/resize"],
  ["POST", "/api/undo"],
];

const LOOKS = [
  "/api/about",
  "/api/runs",
  "/api/calls",
  "/api/approvals",
  "/api/policy",
  "/api/tools",
  "/api/events",
];

describe("the token", () => {
  test("is required for everything except the page", async () => {
    const { page } = await openInspectedHost();
    const { port } = page.served;
    for (const token of [undefined, "", "x", `${page.token}x`, page.token.slice(0, -1)]) {
      for (const path of LOOKS) {
        const { status, body } = await send(port, path, { token });
        expect({ path, status, code: body.error.code }).toMatchObject({
          status: 401,
          code: "INSPECT_TOKEN",
        });
      }
    }
    for (const [method, path] of ACTS) expect((await send(port, path, { method })).status).toBe(401);
    expect((await send(port, "/api/events?token=x", {})).status).toBe(401);
    const { status, text } = await send(port, "/", {});
    expect(status).toBe(200);
    expect(text).not.toContain(page.token);
  });

  test("for reading cannot decide, with any request", async () => {
    const { page } = await openInspectedHost();
    for (const [method, path] of ACTS) {
      const body =
        method === "DELETE" ? undefined : path === "/api/undo" ? { runId: "r", toolCallId: "c" } : {};
      const answered = await page.ask(path, { method, token: page.readOnlyToken, body });
      expect({ path, ...answered.body.error }).toMatchObject({
        code: "INSPECT_REFUSED",
        details: { reason: "looks-only" },
      });
      expect(answered.status).toBe(403);
    }
    expect((await page.ask("/api/about", { token: page.readOnlyToken })).body).toMatchObject({
      role: "look",
    });
  });

  test("for decisions does not exist without act", async () => {
    const { page } = await openInspectedHost({}, { act: false });
    expect(page.served.url).toBe(page.served.lookUrl);
    expect(await page.get("/api/about")).toMatchObject({ role: "look" });
  });

  test("of an earlier start is reported as old, with a hint about the new address", async () => {
    const { host, page } = await openInspectedHost();
    const { port } = page.served;
    await page.served.close();
    const again = openInspectorClient(await inspect(host, { port }));
    const { status, body } = await again.ask("/api/about", { token: page.token });
    expect(status).toBe(401);
    expect(body.error).toMatchObject({
      code: "INSPECT_TOKEN",
      details: { reason: "old" },
      fix: expect.stringContaining("new inspector"),
    });
  });

  test("is not in variables, arguments of programs or workspace files for a command of a session", async () => {
    const { host, page } = await openInspectedHost();
    const session = await host.openSession();
    const command = "env; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; cat -- * .* 2>/dev/null; true";
    const { content } = await session.call({ name: "exec", arguments: { command } });
    expect(JSON.stringify(content)).toContain("PATH=");
    for (const token of [page.token, page.readOnlyToken])
      expect(JSON.stringify(content)).not.toContain(token.split(".")[1]);
  });
});

describe("requests", () => {
  test("with a foreign name are rejected: DNS rebinding", async () => {
    const { page } = await openInspectedHost();
    const { port } = page.served;
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1:1",
      `127.0.0.1.evil.example:${port}`,
      "[::]",
    ]) {
      for (const path of ["/", "/api/about"]) {
        const { status, body } = await page.ask(path, { headers: { host } });
        expect({ host, path, status, ...body?.error }).toMatchObject({
          status: 403,
          code: "INSPECT_REFUSED",
          details: { reason: "host" },
        });
      }
    }
    for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])
      expect((await page.ask("/api/about", { headers: { host } })).status).toBe(200);
  });

  test("of a page of another origin are rejected by the header of its browser", async () => {
    const { page } = await openInspectedHost();
    const { port } = page.served;
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `http://127.0.0.1:${port + 1}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      const { status, body } = await page.ask("/api/about", { headers });
      expect({ headers, status, ...body?.error }).toMatchObject({
        status: 403,
        code: "INSPECT_REFUSED",
        details: { reason: "origin" },
      });
    }
    const own = { origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" };
    const { status, headers } = await page.ask("/api/about", { headers: own });
    expect(status).toBe(200);
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    const preflight = await page.ask("/api/about", {
      method: "OPTIONS",
      headers: { origin: "https://evil.example" },
    });
    expect(preflight.status).toBe(403);
  });

  test("of a form of another page are rejected", async () => {
    const { page } = await openInspectedHost();
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ]) {
      const { status, body } = await page.ask("/api/approvals/abcd", {
        method: "POST",
        body: '{"decision":"deny"}',
        headers: { "content-type": type },
      });
      expect({ type, status, code: body.error.code }).toMatchObject({ status: 400, code: "INSPECT_REQUEST" });
    }
  });

  test("with an invalid or too large body are rejected, and the next request succeeds", async () => {
    const { page } = await openInspectedHost();
    const large = await page.post("/api/policy/try", { id: "x", text: "x".repeat(3 * 1024 * 1024) });
    expect([large.status, large.body.error.code]).toEqual([400, "INSPECT_REQUEST"]);
    for (const body of ["{", "null", "[]", '{"decision":"maybe"}', '{"decision":"deny","more":1}', "{}"]) {
      const { status, body: said } = await page.post("/api/approvals/abcd", body);
      expect({ body, status, code: said.error.code }).toMatchObject({ status: 400 });
    }
    for (const path of [
      "/api/calls?limit=0",
      "/api/calls?limit=x",
      "/api/calls?order=up",
      "/api/calls?run=a&run=b",
      "/api/runs?x=1",
    ])
      expect({ path, status: (await page.ask(path)).status }).toEqual({ path, status: 400 });
    expect((await page.ask("/api/calls?after=nonsense")).status).toBe(400);
    expect((await page.ask("/api/about")).status).toBe(200);
  });

  test("get answers for this page only, without external code", async () => {
    const { page } = await openInspectedHost();
    const answers = [
      await page.ask("/"),
      await page.ask("/api/about"),
      await page.ask("/api/nothing"),
      await page.ask("/nothing"),
      await page.ask("/api/about", { token: "" }),
      await page.ask("/", { headers: { host: "evil.example" } }),
    ];
    for (const { headers } of answers) {
      expect(headers["content-security-policy"]).toContain("default-src 'self'");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["content-security-policy"]).not.toMatch(/unsafe|https?:/);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
    }
    expect((await page.ask("/api/about")).headers["cache-control"]).toBe("no-store");
  });

  test("cannot reach other files with a path", async () => {
    const { page } = await openInspectedHost();
    for (const path of [
      "/../package.json",
      "/%2e%2e/package.json",
      "/..%2f..%2fpackage.json",
      "//etc/hostname",
      "/index.js",
    ])
      expect({ path, status: (await page.ask(path)).status }).toEqual({ path, status: 404 });
  });
});

describe("the listen address", () => {
  test("is external only with the origin of a TLS server", async () => {
    const host = await createHost({ workspaceDir: await temporaryFolder(), stateDir: false });
    onTestFinished(() => host.close());
    for (const options of [
      { listen: "0.0.0.0" },
      { origin: "https://inspect.example" },
      { listen: "127.0.0.2", origin: "http://inspect.example" },
      { listen: "127.0.0.2", origin: "https://user@inspect.example" },
      { listen: "127.0.0.2", origin: "https://inspect.example/path" },
      { listen: "127.0.0.2", origin: "inspect.example" },
    ])
      await expect(inspect(host, options)).rejects.toMatchObject({ code: "INSPECT_LISTEN" });
    const page = openInspectorClient(
      await inspect(host, { listen: "127.0.0.1", origin: "https://inspect.example" }),
    );
    expect(page.served.url).toMatch(/^https:\/\/inspect\.example\/#/);
    const headers = { host: "inspect.example", origin: "https://inspect.example" };
    expect((await page.ask("/api/about", { headers })).status).toBe(200);
  });

  test("reports a port that another program uses", async () => {
    const other: Server = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const host = await createHost({ workspaceDir: await temporaryFolder(), stateDir: false });
    onTestFinished(() => host.close());
    const { port } = other.address() as AddressInfo;
    await expect(inspect(host, { port })).rejects.toMatchObject({
      code: "INSPECT_LISTEN",
      message: expect.stringContaining("another program uses the port"),
    });
  });

  test.skipIf(!view.available)("cannot be reached by contained commands", async () => {
    const { host, page } = await openInspectedHost({ preset: "contained" });
    const session = await host.openSession();
    const command = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${page.served.port} && echo reached' 2>&1; true`;
    const { content } = await session.call({ name: "exec", arguments: { command } });
    expect(JSON.stringify(content)).not.toContain("reached\\n");
    expect(JSON.stringify(content)).toMatch(/refused|unreachable|Network|denied/i);
  });
});

test("cannot be set for a host that createHost did not make", async () => {
  await expect(inspect({} as never)).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
});
