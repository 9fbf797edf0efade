import { readMachinePolicy } from "@haft/config/internal/document";
import { createHost } from "@haft/host";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { haftHere } from "../support/haft.ts";

// One document for all hosts of a machine: what it denies need not be installed everywhere.

const denials = `deny: ["group:plugins", "effect:message", weather_report]
ask: ["weathr_report(arg:url=*)"]
sessions:
  group:
    deny: [wirte]
senders:
  id:7:
    ask: [post_mesage]
`;
/** With names of files of their own: a process tells each sentence once. */
const warningsOf = (file: string) =>
  [
    `haft: ${file}:1: warning: deny[2]: There is no tool or plugin "weather_report" here yet; once it exists, it is denied.`,
    `haft: ${file}:2: warning: ask[0]: There is no tool or plugin "weathr_report" here yet; once it exists, it needs approval.`,
    `haft: ${file}:5: warning: sessions.group.deny[0]: There is no tool or plugin "wirte" here yet; once it exists, it is denied. Did you mean "write" or "effect:write"?`,
    `haft: ${file}:8: warning: senders["id:7"].ask[0]: There is no tool or plugin "post_mesage" here yet; once it exists, it needs approval.`,
    "",
  ].join("\n");

let machines = 0;
async function machine(text = denials) {
  const cwd = await temporaryFolder();
  const file = `adm${++machines}.yaml`;
  await writeFile(join(cwd, file), text);
  await mkdir(join(cwd, "w"));
  return { file, told: warningsOf(file), at: { cwd, env: { HAFT_ADMIN_POLICY: file } } };
}

describe("every command starts, and reports unknown entries once on standard error", () => {
  test.each([
    ["tools", ["tools", "--workspace", "w"]],
    ["explain", ["explain", "read", '{"path":"a"}', "--workspace", "w"]],
    ["tools call", ["tools", "call", "ls", "{}", "--workspace", "w"]],
    ["tools --all", ["tools", "--all"]],
  ])("%s", async (_name, args) => {
    const { at, told } = await machine();
    const run = await haftHere(args, at);
    expect(run).toMatchObject({ code: 0, stderr: told });
    expect(run.stdout).not.toContain("warning");
  });

  test("in run, which keeps standard output for answers", async () => {
    const { at, told } = await machine();
    const input = '{"name":"ls","arguments":{}}\n{"name":"ls","arguments":{}}\n';
    const run = await haftHere(["run", "--json", "--workspace", "w"], { ...at, input });
    expect(run).toMatchObject({ code: 0, stderr: told });
    expect(run.lines().map(({ toolName, kind }) => `${toolName} ${kind}`)).toEqual(["ls ok", "ls ok"]);
  });

  test("policy check prints the same warnings, each once", async () => {
    const { at, file, told } = await machine();
    const run = await haftHere(["policy", "check", "--admin-policy", file], at);
    expect(run).toMatchObject({ code: 0, stdout: `${file}: no problems, 4 warnings.\n` });
    expect(run.stderr).toBe(told.replaceAll("haft: ", ""));
    const json = await haftHere(["policy", "check", "--json", "--admin-policy", file], at);
    expect(json).toMatchObject({ code: 0, stderr: "" });
    expect(json.lines()[0].files[0].warnings[2]).toMatchObject({
      path: "sessions.group.deny[0]",
      line: 5,
      severity: "warning",
      nearest: ["write", "effect:write"],
    });
  });

  test("rejects the same file as an ordinary policy, because there it is a mistake", async () => {
    const { at, file } = await machine();
    const run = await haftHere(["policy", "check", file], { cwd: at.cwd });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^adm\d+\.yaml:1: deny\[0\]: "group:plugins" matches no tool of this host/);
    expect(run.stderr).not.toContain('"grep"');
  });
});

test.each([
  ["no YAML", "deny: ["],
  ["an unknown key", "denny: [read]\n"],
  ["a grant of an effect that does not exist", "grant: [effect:mesage]\n"],
  ["a grant of what is not there", "sessions: { group: { grant: [weather_report] } }\n"],
  ["allowing what is not there", "allow: [weather_report]\n"],
])("rejects a document with %s", async (_what, text) => {
  const run = await haftHere(["tools", "--workspace", "w"], (await machine(text)).at);
  expect(run).toMatchObject({ code: 1, stdout: "" });
  expect(run.stderr).toMatch(/^haft: adm\d+\.yaml/);
});

describe("in an embedded host", () => {
  const before = process.env["HAFT_ADMIN_POLICY"];
  afterEach(() => {
    if (before === undefined) delete process.env["HAFT_ADMIN_POLICY"];
    else process.env["HAFT_ADMIN_POLICY"] = before;
  });

  const web = definePlugin({
    id: "web",
    tools: [
      defineTool({
        name: "weather_report",
        description: "Fetches a page.",
        effects: ["network"],
        parameters: Type.Object({ url: Type.String() }),
        execute: () => ({ content: [text("fetched")], details: {} }),
      }),
    ],
  });

  test("the logger receives the warning, and a later plugin is denied with the line", async () => {
    const { at, file } = await machine();
    const { cwd } = at;
    process.env["HAFT_ADMIN_POLICY"] = join(cwd, file);
    const warned: string[] = [];
    const logger = { debug() {}, info() {}, warn: (text: string) => void warned.push(text), error() {} };
    const administratorPolicy = (await readMachinePolicy())!;
    const options = { stateDir: false, workspaceDir: cwd, administratorPolicy, logger } as const;
    await (await createHost(options)).close();
    expect(warned).toHaveLength(4);
    expect(warned[0]).toMatch(/adm\d+\.yaml:1: warning: deny\[2\]/);

    const host = await createHost({ ...options, plugins: [web] });
    const session = await host.openSession();
    const outcome = await session.call({ name: "weather_report", arguments: { url: "x" } });
    expect(outcome.kind).toBe("blocked");
    const explanation = await session.explain("weather_report", { url: "x" });
    expect(JSON.stringify(explanation)).toMatch(/adm\d+\.yaml:1: deny\[[02]\]/);
    await host.close();
  });
});
