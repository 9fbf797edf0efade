import type { CallToolResult, Client, LoggingMessageNotification } from "@modelcontextprotocol/client";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveEndpoint, connectHttp } from "../support/connect-http.ts";
import { connectStdio } from "../support/connect-stdio.ts";
import { createTestMachine } from "../support/machine.ts";

const textsOf = ({ content }: CallToolResult) =>
  content.flatMap((one) => (one.type === "text" ? [one.text] : []));

/** A session of two folders, beside others, and what a client has open, which may change. */
async function createFolders() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "haft-roots-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const folder = (...path: string[]) => {
    mkdirSync(join(top, ...path), { recursive: true });
    return join(top, ...path);
  };
  const uri = (...path: string[]) => pathToFileURL(folder(...path)).href;
  const mounts = [
    { name: "", path: folder("app"), access: "rw" as const },
    { name: "lib", path: folder("lib"), access: "ro" as const },
  ];
  const { source } = await createTestMachine();
  const open: string[] = [];
  const logged: LoggingMessageNotification["params"][] = [];
  const prepare = (client: Client) => {
    client.setRequestHandler("roots/list", () => ({ roots: open.map((each) => ({ uri: each })) }));
    client.setNotificationHandler("notifications/message", ({ params }) => void logged.push(params));
  };
  const client = { capabilities: { roots: { listChanged: true } } };
  return { top, uri, source: { ...source, folders: () => mounts }, open, logged, prepare, client };
}

const look = async (client: Client) => textsOf(await client.callTool({ name: "look", arguments: {} }));

describe("roots of a client before 2026", () => {
  test("ignores foreign folders and reports them once to the model and the log", async () => {
    const { top, uri, source, open, logged, ...rest } = await createFolders();
    symlinkSync(join(top, "other"), join(top, "app-link"));
    mkdirSync(join(top, "app"), { recursive: true });
    const foreign = [
      uri("other"),
      uri("app2"),
      pathToFileURL(join(top, "app-link")).href,
      pathToFileURL(top).href,
    ];
    const nonsense = ["file://[", "file://elsewhere/app", pathToFileURL(join(top, "gone")).href];
    open.push(uri("app"), ...foreign, ...nonsense);
    const { client } = await connectStdio(source, { era: "2025-11-25", ...rest });

    const [result, notice = ""] = await look(client);
    expect(result).toBe("nothing to see");
    for (const each of [...foreign, ...nonsense]) expect(notice).toContain(each);
    expect(notice).toContain("they are ignored");
    expect(notice).not.toContain("has open");
    expect(logged).toMatchObject([{ level: "warning", data: notice }]);
    expect(await look(client)).toEqual(["nothing to see"]);
  });

  test("reports the location of roots inside the session's folders to the model", async () => {
    const { uri, source, open, logged, ...rest } = await createFolders();
    open.push(uri("app", "packages", "one"), uri("lib"));
    const { client } = await connectStdio(source, { era: "2025-11-25", ...rest });
    expect(await look(client)).toEqual([
      "nothing to see",
      expect.stringContaining("has open: packages/one, lib:."),
    ]);
    expect(logged).toMatchObject([{ level: "info" }]);
  });

  test("reports nothing while only the workspace is open", async () => {
    const { uri, source, open, logged, ...rest } = await createFolders();
    open.push(uri("app"));
    const { client } = await connectStdio(source, { era: "2025-11-25", ...rest });
    expect(await look(client)).toEqual(["nothing to see"]);
    open.push(uri("other"));
    expect(await look(client)).toEqual(["nothing to see"]);
    await client.sendRootsListChanged();
    expect(await look(client)).toEqual(["nothing to see", expect.stringContaining(uri("other"))]);
    expect(logged).toHaveLength(1);
  });

  test("escapes and truncates long or deceptive names", async () => {
    const { source, open, logged: _, ...rest } = await createFolders();
    open.push(
      `file:///x\u202e\u001b[2J${"y".repeat(5_000)}`,
      ...Array.from({ length: 2_000 }, (__, at) => `file:///none/${at}`),
    );
    const { client } = await connectStdio(source, { era: "2025-11-25", ...rest });
    const [, notice = ""] = await look(client);
    expect(notice.length).toBeLessThan(4_000);
    expect(notice).toContain("and 1993 more");
    for (const unseen of ["\u202e", "\u001b"]) expect(notice).not.toContain(unseen);
  });

  test("returns the result even if the client fails to list its roots", async () => {
    const { source, logged, prepare, client: options } = await createFolders();
    const failing = (client: Client) => {
      prepare(client);
      client.setRequestHandler("roots/list", () => Promise.reject(new Error("no")));
    };
    const { client } = await connectStdio(source, { era: "2025-11-25", client: options, prepare: failing });
    expect(await look(client)).toEqual(["nothing to see"]);
    expect(logged).toMatchObject([{ level: "warning", data: expect.stringContaining("is unreadable") }]);
  });

  test("ignores and reports a list with an invalid root", async () => {
    const { uri, source, open, logged, ...rest } = await createFolders();
    open.push(uri("app", "sub"), "https://example.org/");
    const { client } = await connectStdio(source, { era: "2025-11-25", ...rest });
    expect(await look(client)).toEqual(["nothing to see"]);
    expect(logged).toMatchObject([{ level: "warning", data: expect.stringContaining("is unreadable") }]);
  });

  test("works over HTTP, and a session without local folders ignores all roots", async () => {
    const { uri, source, open, ...rest } = await createFolders();
    open.push(uri("app"));
    const served = await serveEndpoint({ token: { ...source, folders: () => [] } });
    const { client } = await connectHttp(served, {
      era: "2025-11-25",
      token: "token",
      client: rest.client,
      prepare: rest.prepare,
    });
    expect(await look(client)).toEqual(["nothing to see", expect.stringContaining(uri("app"))]);
  });

  test("does not request roots from a client without the capability", async () => {
    const { source } = await createFolders();
    const { client, lines } = await connectStdio(source, { era: "2025-11-25" });
    expect(await look(client)).toEqual(["nothing to see"]);
    expect(lines.join("\n")).not.toContain("roots/list");
  });
});
