import { chmod, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { haftHere, type Line } from "../support/haft.ts";
import { haftTerminals } from "../support/terminal.ts";

const FILE = "w/haft.config.yaml";
const ASKS = `policy:
  deny: [exec]
  sessions: { group: { grant: [write] } }
roots:
  docs: { path: ./docs, access: ro }
model: { contextTokens: 5000 }
`;
const onTerminal = haftTerminals();

async function asking(files: Readonly<Record<string, string>> = {}) {
  const workspace = await createConfiguredWorkspace({ [FILE]: ASKS, "w/docs/a.txt": "hello\n", ...files });
  const file = join(workspace.above, FILE);
  const run = (...args: string[]) => haftHere(args, workspace.at);
  /** What holds at a start. */
  const shown = async (...args: string[]): Promise<Line> => {
    const { stdout, stderr } = await run("config", "show", "--json", ...args);
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const state = async () => (await shown()).looked.find(({ path }: Line) => path === file)?.trust;
  const says = async (key: string, ...args: string[]) =>
    (await shown(...args)).values.find((each: Line) => each.key === key)?.value;
  return { ...workspace, file, run, shown, state, says };
}

describe("invalid input", () => {
  test.each([
    [["config", "trust"], 2, /needs a terminal, and there is none.*--yes/s],
    [["config", "untrust", "."], 1, /is not trusted, so there is nothing to revoke/],
    [["config", "trust", "c.yaml", "--yes"], 1, /Only files named haft\.config/],
    [["config", "trust", "docs/haft.config.yaml", "--yes"], 1, /There is no such file/],
  ] as const)("%j", async (args, code, message) => {
    const { run } = await asking();
    // No terminal: not even the one that whoever runs this test has.
    const done = args[1] === "trust" && args.length === 2 ? await run(...args, "--json") : await run(...args);
    expect(done).toMatchObject({ code });
    expect(done.stderr).toMatch(message);
  });

  test("without a configuration", async () => {
    const { run, file } = await asking();
    await rm(file);
    expect(await run("config", "trust", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/There is no haft\.config\.yaml, .json, .ts or .js in /),
    });
  });

  test.each([
    ["broken", "polcy: {}", /:1: polcy: There is no such key/],
    ["a tool that nobody has", "policy: { grant: [raed] }", /policy\.grant\[0\]: .*Did you mean "read"/],
    [
      "lifting the rules of others",
      "policy: { exec: { elevated: { mode: full } } }",
      /elevated: It lets calls exceed the rules/,
    ],
    ["a name that turns the line round", '"x\\u202e": 1', /x\\u\{202e\}"\]: There is no such key/],
    ["a mode", "policy: { mode: shadow }", /mode: Rules of a workspace always apply/],
    [
      "a policy file that is not there",
      "policy: ./gone.yaml",
      /gone\.yaml: cannot read it: there is no such file/,
    ],
    ["a root that is not there", "roots: { docs: { path: ./gone, access: ro } }", /gone/],
  ])("reports an error and trusts nothing: %s", async (_what, text, message) => {
    const { run, write } = await asking();
    await write(FILE, text);
    const done = await run("config", "trust", "--yes");
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(message);
    expect((await run("config", "trusted", "--json")).lines()).toEqual([{ trusted: [], problems: [] }]);
  });

  test("reports an unwritable state folder and trusts nothing", async () => {
    const { run, write } = await asking();
    await write("state", "a file");
    const unusable = { code: 1, stderr: expect.stringContaining("[STATE_FOLDER_FAILED]") };
    expect(await run("config", "trust", "--yes")).toMatchObject(unusable);
    expect(await run("config", "show")).toMatchObject(unusable);
  });

  test.each([
    [
      "a link",
      async (file: string) => rename(file, `${file}.real`).then(() => symlink(`${file}.real`, file)),
      /is a link/,
    ],
    ["a file that others may write", (file: string) => chmod(file, 0o666), /others may write to/],
  ])("%s", async (_what, change, message) => {
    const { run, file } = await asking();
    await change(file);
    expect(await run("config", "trust", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(message),
    });
  });
});

describe("a trusted configuration of a workspace", () => {
  test("applies as a whole, and shows its permissions and the person who agreed", async () => {
    const { run, state, says, shown, file } = await asking();
    expect(await state()).toBe("not trusted");
    expect(await says("roots.docs.access")).toBeUndefined();
    expect((await shown()).tightens).toMatchObject([{ key: "policy.deny[0]", value: "exec" }]);

    const [{ files: before }] = (await run("config", "trusted", ".", "--json")).lines();
    expect(before).toMatchObject([
      {
        path: file,
        trust: "not trusted",
        asks: [
          { key: "roots.docs.path" },
          { key: "roots.docs.access", value: "ro" },
          { key: "model.contextTokens", value: 5000 },
          { key: "policy.sessions.group.grant[0]", value: "write" },
        ],
        files: { [file]: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ]);

    const given = await run("config", "trust", "--yes");
    expect(given).toMatchObject({ code: 0, stderr: "" });
    expect(given.stdout).toMatch(/requests, beyond tightening:\n.*roots\.docs\.path.*Trusted: /s);
    expect(await state()).toBe("trusted");
    expect(await says("roots.docs.access")).toBe("ro");
    expect(await says("model.contextTokens")).toBe(5000);
    const read = await run("tools", "call", "read", '{"path":"docs:a.txt"}');
    expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining("hello") });
    const tools = async (...args: string[]) =>
      (await run("tools", "--json", "--session", "group", ...args)).stdout;
    expect(await tools()).toContain('"write"');
    expect((await run("config", "trusted", "--json")).lines()[0].trusted).toMatchObject([{ path: file }]);
    expect((await run("config", "trust", "--yes")).stdout).toMatch(/is trusted already/);

    expect((await run("config", "untrust", ".")).code).toBe(0);
    expect(await state()).toBe("not trusted");
    expect(await says("roots.docs.access")).toBeUndefined();
  });

  test("comes after the user's settings and denials; --policy replaces its rules, and --no-config ignores it", async () => {
    const { run, says, shown, write } = await asking({
      "xdg/haft/haft.config.yaml":
        "policy: { sessions: { group: { deny: [write] } } }\nmodel: { contextTokens: 9000 }\nroots: { docs: { path: ., access: ro } }\n",
      "w/p.yaml": "ask: [read]\n",
    });
    await run("config", "trust", "--yes");
    expect(await says("model.contextTokens")).toBe(9000);
    expect(await says("roots.docs.path")).toMatch(/xdg\/haft$/);
    const explained = (await run("explain", "write", "--session", "group", "--json")).lines()[0];
    expect(JSON.stringify(explained)).toContain("denied by");
    await write("xdg/haft/haft.config.yaml", "{}");
    const withPolicy = await shown("--policy", "p.yaml");
    expect(withPolicy.trusted).toEqual([]);
    expect(withPolicy.tightens).toMatchObject([{ key: "policy.deny[0]", value: "exec" }]);
    expect(await says("roots.docs.access", "--policy", "p.yaml")).toBe("ro");
    expect((await shown("--no-config")).looked).toEqual([]);
  });

  test.each([
    [
      "its content",
      (at: string) => writeFile(join(at, FILE), `${ASKS}# more\n`),
      /haft\.config\.yaml changed/,
    ],
    [
      "the policy file that it names",
      (at: string) => writeFile(join(at, "w/p.yaml"), "{}"),
      /p\.yaml changed/,
    ],
    [
      "its folder, which others may write now",
      (at: string) => chmod(join(at, "w"), 0o777),
      /others may write to/,
    ],
    [
      "a root, that is a link now",
      async (at: string) => {
        await mkdir(join(at, "secret"));
        await rename(join(at, "w/docs"), join(at, "w/old"));
        await symlink(join(at, "secret"), join(at, "w/docs"));
      },
      /docs leads to .*secret now/,
    ],
  ])(
    "is no longer trusted after a change of %s, and its restrictions remain",
    async (_what, change, message) => {
      const asks = `${ASKS}sandbox: { limits: { tasks: 7 } }\n`;
      const named = asks.replace(/policy:\n.*\n.*\n/, "policy: ./p.yaml\n");
      const { above, run, state, says, shown } = await asking({
        [FILE]: /policy|agent/.test(_what) ? named : asks,
        "w/p.yaml": "deny: [exec]\nagents: { mail: ./mail.yaml }\n",
        "w/mail.yaml": "deny: [write]\n",
      });
      expect((await run("config", "trust", "--yes")).stderr).toBe("");
      expect(await state()).toBe("trusted");
      await change(above);
      expect(await state()).toBe("ended");
      expect(await says("roots.docs.access")).toBeUndefined();
      const { looked, tightens } = await shown();
      expect(tightens).toContainEqual(expect.objectContaining({ key: "policy.deny[0]", value: "exec" }));
      expect(tightens).toContainEqual(expect.objectContaining({ key: "sandbox.limits.tasks", value: 7 }));
      expect(JSON.stringify(looked)).toMatch(message);
      const call = await run("tools", "call", "exec", '{"command":"true"}');
      expect(call.code).toBe(1);
      expect(call.stderr).toMatch(/was trusted, and is not any more/);
      await chmod(join(above, "w"), 0o755);
    },
  );

  test("is separate from a copy at another path", async () => {
    const { above, run, cwd, env } = await asking();
    await run("config", "trust", "--yes");
    await rename(cwd, join(above, "moved"));
    const { stdout } = await haftHere(["config", "show", "--json"], { cwd: join(above, "moved"), env });
    const { looked }: Line = JSON.parse(stdout);
    expect(looked).toContainEqual(
      expect.objectContaining({ path: join(above, "moved/haft.config.yaml"), trust: "not trusted" }),
    );
  });

  test("with a damaged record decides nothing, and is named", async () => {
    const { above, run, state, shown } = await asking();
    await run("config", "trust", "--yes");
    const [name = ""] = (await import("node:fs")).readdirSync(join(above, "state/trust"));
    await writeFile(join(above, "state/trust", name), "{}");
    expect(await state()).toBe("not trusted");
    expect(JSON.stringify((await shown()).looked)).toMatch(
      /The record of trust .* is not used: it is not a trust record/,
    );
    expect((await run("config", "trusted")).code).toBe(1);
  });
});

test("needs a yes on a terminal", async () => {
  const { cwd } = await asking();
  const refused = await onTerminal(["config", "trust"], cwd);
  await refused.until(/Do you trust this\?.*> /s);
  await refused.type("n\r");
  expect(await refused.end()).toMatchObject({ exitCode: 1, output: expect.stringContaining("Not trusted") });
  const agreed = await onTerminal(["config", "trust"], cwd);
  expect(await agreed.until(/Do you trust this\?.*> /s)).toContain("roots.docs.path");
  await agreed.type("y\r");
  expect(await agreed.end()).toMatchObject({ exitCode: 0, output: expect.stringContaining("Trusted: ") });
});
