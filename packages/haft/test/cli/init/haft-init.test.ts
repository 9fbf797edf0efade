import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere, terminalHere } from "../../support/haft.ts";

/** A user who has no configuration yet, with a folder to work in. */
async function newUser() {
  const home = await temporaryFolder();
  const cwd = join(home, "work");
  await mkdir(cwd);
  await mkdir(join(home, "out"));
  const file = join(home, "config/haft/haft.config.yaml");
  const env = { XDG_CONFIG_HOME: join(home, "config") };
  const init = (...args: string[]) => haftHere(["config", "init", ...args], { cwd, env });
  return { cwd, env, file, init, run: (...args: string[]) => haftHere(args, { cwd, env }) };
}

describe("a written configuration passes haft config check and applies", () => {
  test.for([
    [["--yes"], /preset: (contained|careful)/],
    [["--yes", "--commands", "contained"], /preset: contained, network: none/],
    [
      ["--yes", "--commands", "contained", "--network", "a.example.com,*.b.example.org"],
      /network: \[a\.example\.com, "\*\.b\.example\.org"\]/,
    ],
    [["--yes", "--commands", "careful", "--network", "full"], /allow: \["git status\*"/],
    [
      ["--yes", "--commands", "free", "--root", "docs=..", "--root", "out=../out:rw"],
      /out: \{ path: .*, access: rw \}/,
    ],
  ] as const)("%j", async ([args, wanted]) => {
    const user = await newUser();
    const run = await user.init(...args);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain(`Wrote ${user.file}`);
    const text = await readFile(user.file, "utf8");
    expect(text).toMatch(wanted);
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/config\.schema\.json\n/);
    expect(await user.run("config", "check", user.file)).toMatchObject({ code: 0 });
    const [shown] = (await user.run("config", "show", "--json")).lines();
    expect(shown.looked[0]).toMatchObject({ path: user.file, outcome: "used" });
    // As they stand there; hosts in a view and in a sandbox alike.
    expect(shown.values.filter(({ from }: { from: string }) => from === user.file).length).toBeGreaterThan(1);
    expect((await user.run("tools")).code).toBe(0);
  });

  test.for([
    [["--yes"], /preset: careful/],
    [["--yes", "--commands", "free"], /policy: \{\}/],
    [
      ["--yes", "--commands", "free", "--deny", "bash", "--deny", "group:fs(path:**/.env)"],
      /deny: \[bash, "group:fs\(path:\*\*\/\.env\)"\]/,
    ],
  ] as const)("in a workspace: %j", async ([args, wanted]) => {
    const user = await newUser();
    expect(await user.init("--project", ...args)).toMatchObject({ code: 0, stderr: "" });
    const file = join(user.cwd, "haft.config.yaml");
    expect(await readFile(file, "utf8")).toMatch(wanted);
    expect(await user.run("config", "check", "--project", file)).toMatchObject({ code: 0 });
    const [shown] = (await user.run("config", "show", "--json")).lines();
    expect(shown.looked).toContainEqual(
      expect.objectContaining({ path: file, as: "workspace", outcome: "used" }),
    );
  });
});

describe("existing files are kept, and invalid files are not written", () => {
  test.for(["haft.config.yaml", "haft.config.json", "haft.config.ts"])("if %s exists", async (name) => {
    const user = await newUser();
    const there = join(user.cwd, name);
    await writeFile(there, "mine");
    const run = await user.init("--project", "--yes");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/exists already, and was not changed[^]*CONFIG_EXISTS/);
    expect(await readFile(there, "utf8")).toBe("mine");
  });

  test("if a dangling link exists", async () => {
    const user = await newUser();
    await symlink("nowhere", join(user.cwd, "haft.config.yaml"));
    expect(await user.init("--project", "--yes")).toMatchObject({ code: 1, stdout: "" });
  });

  test("if the folder is a file", async () => {
    const user = await newUser();
    await writeFile(join(user.cwd, "..", "config"), "");
    const run = await user.init("--yes");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/cannot be written[^]*FILE_UNWRITABLE/);
  });

  test.runIf(process.platform === "linux")("if no folder can be created, as below /proc", async () => {
    const run = await haftHere(["config", "init", "--yes"], {
      cwd: await temporaryFolder(),
      env: { XDG_CONFIG_HOME: "/proc/self" },
    });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/no folder can be made in \/proc\/self[^]*FILE_UNWRITABLE/);
  });

  test("with a warning if other users can write to the folder", async () => {
    const user = await newUser();
    await chmod(user.cwd, 0o777);
    const run = await user.init("--project", "--yes");
    expect(run.stderr).toMatch(/is not used as it is: it is in .*which others may write to/);
  });
});

describe("on a terminal", () => {
  test("asks three questions, and repeats a question after an invalid answer", async () => {
    const cwd = await temporaryFolder();
    const terminal = terminalHere(["config", "init", "--project"], cwd);
    expect(await terminal.until(/1\. How should[^]*> /)).toContain("careful");
    terminal.type("cleverly\r");
    expect(await terminal.until(/> /)).toMatch(/An answer is careful or free; got "cleverly"/);
    terminal.type("\r");
    await terminal.until(/2\. Which tools[^]*> /);
    terminal.type("bash\r");
    await terminal.until(/3\. Which files[^]*> /);
    terminal.type("**/.env, secrets/**\r");
    const { exitCode, output } = await terminal.end();
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining("Wrote ") });
    expect(await readFile(join(cwd, "haft.config.yaml"), "utf8")).toContain(
      'deny: [bash, "group:fs(path:**/.env)", "group:fs(path:secrets/**)"]',
    );
  });

  test("writes nothing after Ctrl-C", async () => {
    const cwd = await temporaryFolder();
    const terminal = terminalHere(["config", "init", "--project"], cwd);
    await terminal.until(/> /);
    terminal.type("\u0003");
    const { exitCode, output } = await terminal.end();
    expect({ exitCode, output }).toEqual({
      exitCode: 130,
      output: expect.stringContaining("Nothing was written."),
    });
    await expect(readFile(join(cwd, "haft.config.yaml"))).rejects.toThrow("ENOENT");
  });
});
