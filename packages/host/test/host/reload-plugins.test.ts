import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { operatorsFolder } from "../support/operators-folder.ts";

// Plugins that files name otherwise than before are those of the host from its next reload on, all of them or none.

const operators = operatorsFolder();
const { file, start } = operators;

/** A plugin whose tool answers with its id, the word it is configured with, and how often it was called in this session. */
async function plugin(id: string, { before = "", setup = "" } = {}): Promise<string> {
  const notes = join(dirname(operators.workspaceDir), "notes");
  await file(
    `${id}.js`,
    `import { appendFileSync } from "node:fs";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
${before}
const note = (line) => appendFileSync(${JSON.stringify(notes)}, line + "\\n");
export default definePlugin({
  id: "${id}",
  configSchema: Type.Object({ word: Type.String({ default: "none" }) }),
  setup({ config }) { note("setup ${id} " + config.word); ${setup} return { word: config.word }; },
  tools: [{ names: ["${id}_tool"], factory: ({ state }) => {
    let times = 0;
    return defineTool({ name: "${id}_tool", description: "One.", parameters: Type.Object({}), effects: [],
      execute: () => ({ content: [text("${id} " + state.word + " " + ++times)], details: {} }) });
  } }],
  dispose(state) { note("dispose ${id} " + state.word); },
});`,
  );
  return notes;
}

const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);
const textOf = (outcome: unknown) => (outcome as { content: { text: string }[] }).content[0]!.text;
const config = (...entries: string[]) => `plugins: [${entries.join(", ")}]\n`;

describe("a reload", () => {
  test("sets up new and changed plugins, disposes of removed and old plugins, and leaves the rest", async () => {
    await plugin("stays");
    await plugin("goes");
    await plugin("comes");
    const notes = await plugin("changes");
    const path = await file(
      "c.yaml",
      config("./stays.js", "./goes.js", "{ use: ./changes.js, config: { word: one } }"),
    );
    const { host, session, call } = await start({ config: path });
    expect(textOf(await call("stays_tool", {}))).toBe("stays none 1");
    expect(textOf(await call("changes_tool", {}))).toBe("changes one 1");
    const goes = session.tools().map(({ name }) => name);
    expect(goes).toContain("goes_tool");
    writeFileSync(notes, "");

    await writeFile(
      path,
      `${config("{ use: ./changes.js, config: { word: two } }", "./comes.js", "./stays.js")}policy: { deny: [comes_tool] }\n`,
    );
    expect(await host.reload()).toEqual({ changed: true, problems: [], later: [] });
    expect(linesOf(notes).toSorted()).toEqual([
      "dispose changes one",
      "dispose goes none",
      "setup changes two",
      "setup comes none",
    ]);
    // What a session has from a plugin that stays is not made anew.
    expect(textOf(await call("stays_tool", {}))).toBe("stays none 2");
    expect(textOf(await call("changes_tool", {}))).toBe("changes two 1");
    expect(await call("goes_tool", {})).toMatchObject({ code: "UNKNOWN_TOOL" });
    expect(await call("comes_tool", {})).toMatchObject({ code: "POLICY_DENIED" });
    const inNew = await host.openSession();
    expect(textOf(await inNew.call({ name: "changes_tool" }))).toBe("changes two 1");
    expect(
      host
        .plugins()
        .map(({ at, id }) => [at, id])
        .slice(2),
    ).toEqual([
      ["plugins[0]", "changes"],
      ["plugins[1]", "comes"],
      ["plugins[2]", "stays"],
    ]);
    expect(host.catalogue.map(({ name }) => name)).not.toContain("goes_tool");
    expect(await host.reload()).toEqual({ changed: false, problems: [], later: [] });
  });

  test.for<[string, () => Promise<unknown>, string, string, RegExp]>([
    ["is not there", async () => {}, "./bad.js", "PLUGIN_NOT_FOUND", /There is no file/],
    [
      "throws",
      () => plugin("bad", { before: 'throw new Error("no");' }),
      "./bad.js",
      "PLUGIN_UNLOADABLE",
      /threw while it was loaded: no/,
    ],
    [
      "is misconfigured",
      () => plugin("bad"),
      "{ use: ./bad.js, config: { wrod: 1 } }",
      "PLUGIN_CONFIG_INVALID",
      /c\.yaml:1: plugins\[1\]\.config\.wrod: .*Did you mean "word"/,
    ],
    [
      "cannot be set up",
      () => plugin("bad", { setup: 'throw new Error("down");' }),
      "./bad.js",
      "SETUP_FAILED",
      /down/,
    ],
  ])("with a plugin that %s changes neither plugins nor rules", async ([, make, entry, code, message]) => {
    const notes = await plugin("stays");
    await make();
    const path = await file("c.yaml", config("./stays.js"));
    const { host, call, effectOf } = await start({ config: path });
    await call("stays_tool", {});
    await writeFile(
      path,
      `${config("{ use: ./stays.js, config: { word: other } }", entry)}policy: { deny: [write] }\n`,
    );
    expect(await host.reload()).toMatchObject({
      changed: false,
      problems: [{ code, message: expect.stringMatching(message) }],
    });
    expect(textOf(await call("stays_tool", {}))).toBe("stays none 2");
    expect(await effectOf("write")).toBe("allow");
    // What was set up for it is ended again.
    const lines = linesOf(notes).filter((line) => line.endsWith("other"));
    expect(lines.length === 0 || lines.join() === "setup stays other,dispose stays other").toBe(true);
    await writeFile(path, config("{ use: ./stays.js, config: { word: right } }"));
    expect(await host.reload()).toMatchObject({ changed: true, problems: [] });
    expect(textOf(await call("stays_tool", {}))).toBe("stays right 1");
  });

  test("succeeds with a plugin that was and remains unusable", async () => {
    await plugin("stays");
    const path = await file("c.yaml", config("./bad.js", "./stays.js"));
    const { host, call } = await start({ config: path });
    await writeFile(path, `${config("./bad.js", "./stays.js")}policy: { deny: [write] }\n`);
    expect(await host.reload()).toEqual({ changed: true, problems: [], later: [] });
    await plugin("bad");
    expect(await host.reload()).toEqual({ changed: true, problems: [], later: [] });
    expect(textOf(await call("bad_tool", {}))).toBe("bad none 1");
  });

  test("leaves plugins of a configuration that is code unchanged", async () => {
    const notes = await plugin("plain");
    await plugin("settled");
    const path = await file(
      "c.js",
      `import plain from "./plain.js";
import settled from "./settled.js";
export default { plugins: [plain, { use: settled, config: { word: "one" } }], policy: "./p.yaml" };`,
    );
    const rules = await file("p.yaml", "{}\n");
    const { host, call } = await start({ config: path });
    await call("plain_tool", {});
    expect(textOf(await call("settled_tool", {}))).toBe("settled one 1");
    const before = linesOf(notes);
    await writeFile(rules, "deny: [write]\n");
    expect(await host.reload()).toEqual({ changed: true, problems: [], later: [] });
    expect(textOf(await call("plain_tool", {}))).toBe("plain none 2");
    expect(textOf(await call("settled_tool", {}))).toBe("settled one 2");
    expect(linesOf(notes)).toEqual(before);
    expect(await host.reload()).toEqual({ changed: false, problems: [], later: [] });
  });

  test("loads no plugin from a path that sessions could have written", async () => {
    const path = await file("c.yaml", "{}\n");
    const { host } = await start({ config: path });
    const marker = join(operators.workspaceDir, "ran");
    await file(
      "w/planted.js",
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "");`,
    );
    await writeFile(path, config("./w/planted.js"));
    expect(await host.reload()).toMatchObject({
      changed: false,
      problems: [
        {
          code: "CONFIG_UNSAFE",
          message: expect.stringContaining("is loaded for a newly named plugin"),
        },
      ],
    });
    expect(existsSync(marker)).toBe(false);
  });

  test("does not run a pending call of a plugin that has ended", async () => {
    await plugin("goes");
    const path = await file("c.yaml", config("./goes.js"));
    const { host, session } = await start({
      config: path,
      policy: { ask: ["*"] },
      approvalMode: "pending",
    });
    onTestFinished(() => session.close());
    const pending = (await session.call({ name: "goes_tool" })) as { approvalId?: string; kind: string };
    expect(pending.kind).toBe("pending");
    await writeFile(path, "{}\n");
    expect(await host.reload()).toMatchObject({ changed: true, problems: [] });
    expect(await session.resolveApproval(pending.approvalId!, "allow-once")).toMatchObject({
      kind: "error",
      code: "PLUGIN_DISPOSED",
      receipt: "none",
    });
  });
});
