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
async function place() {
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

describe("what a client of before 2026 has open", () => {
  test("folders that are not the session's are ignored, and said to model and log, once", async () => {
    const { top, uri, source, open, logged, ...rest } = await place();
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

    const [result, said = ""] = await look(client);
    expect(result).toBe("nothing to see");
    for (const each of [...foreign, ...nonsense]) expect(said).toContain(each);
    expect(said).toContain("they are ignored");
    expect(said).not.toContain("has open");
    expect(logged).toMatchObject([{ level: "warning", data: said }]);
    expect(await look(client)).toEqual(["nothing to see"]);
  });

  test("of those that are, the model is told where they lie", async () => {
    const { uri, source, open, logged, ...rest } = await place();
    open.push(uri("app", "packages", "one"), uri("lib"));
    const { client } = await connectStdio(source, { era: "2025-11-25", ...rest });
    expect(await look(client)).toEqual([
      "nothing to see",
      expect.stringContaining("has open: packages/one, lib:."),
    ]);
    expect(logged).toMatchObject([{ level: "info" }]);
  });

  test("who has the workspace open is told nothing, until it has others", async () => {
    const { uri, source, open, logged, ...rest } = await place();
    open.push(uri("app"));
    const { client } = await connectStdio(source, { era: "2025-11-25", ...rest });
    expect(await look(client)).toEqual(["nothing to see"]);
    open.push(uri("other"));
    expect(await look(client)).toEqual(["nothing to see"]);
    await client.sendRootsListChanged();
    expect(await look(client)).toEqual(["nothing to see", expect.stringContaining(uri("other"))]);
    expect(logged).toHaveLength(1);
  });

  test("names that would be read as something else, or are very many, are shown as they are and cut", async () => {
    const { source, open, logged: _, ...rest } = await place();
    open.push(
      `file:///x\u202e\u001b[2J${"y".repeat(5_000)}`,
      ...Array.from({ length: 2_000 }, (__, at) => `file:///none/${at}`),
    );
    const { client } = await connectStdio(source, { era: "2025-11-25", ...rest });
    const [, said = ""] = await look(client);
    expect(said.length).toBeLessThan(4_000);
    expect(said).toContain("and 1993 more");
    for (const unseen of ["\u202e", "\u001b"]) expect(said).not.toContain(unseen);
  });

  test("a client that fails at it has its result all the same", async () => {
    const { source, logged, prepare, client: options } = await place();
    const failing = (client: Client) => {
      prepare(client);
      client.setRequestHandler("roots/list", () => Promise.reject(new Error("no")));
    };
    const { client } = await connectStdio(source, { era: "2025-11-25", client: options, prepare: failing });
    expect(await look(client)).toEqual(["nothing to see"]);
    expect(logged).toMatchObject([{ level: "warning", data: expect.stringContaining("could not be read") }]);
  });

  test("a list with something in it that is no folder counts for nothing, and that is said", async () => {
    const { uri, source, open, logged, ...rest } = await place();
    open.push(uri("app", "sub"), "https://example.org/");
    const { client } = await connectStdio(source, { era: "2025-11-25", ...rest });
    expect(await look(client)).toEqual(["nothing to see"]);
    expect(logged).toMatchObject([{ level: "warning", data: expect.stringContaining("could not be read") }]);
  });

  test("over HTTP it is the same, and of a session without folders of this machine all are ignored", async () => {
    const { uri, source, open, ...rest } = await place();
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

  test("who does not say that it has some is not asked", async () => {
    const { source } = await place();
    const { client, lines } = await connectStdio(source, { era: "2025-11-25" });
    expect(await look(client)).toEqual(["nothing to see"]);
    expect(lines.join("\n")).not.toContain("roots/list");
  });
});
