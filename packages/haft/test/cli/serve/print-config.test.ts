import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type PrintedConfig, readPrinted } from "../../../../../scripts/lib/clients/printed-config.ts";
import { run } from "../../../../../scripts/lib/workspace.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haft, haftHere } from "../../support/haft.ts";

// Whether the clients understand it is tried with the clients themselves: npm run clients.

const CLIENTS = ["claude", "codex", "gemini", "copilot", "opencode", "vscode", "cursor"];

/** What a client is told to start. */
interface Server {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** What is typed, as a shell gives it to the programs named there: each line with its words. */
async function typed(line: string): Promise<string[][]> {
  const folder = await temporaryFolder();
  const log = join(folder, "log");
  writeFileSync(log, "");
  for (const name of ["claude", "codex", "gemini", "copilot"]) {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/bash\nprintf '%s\\0' "$0" "$@" >>"$LOG"; printf '\\0' >>"$LOG"\n`);
    chmodSync(file, 0o755);
  }
  await run("bash", ["-ec", line], { cwd: folder, env: { PATH: `${folder}:/usr/bin:/bin`, LOG: log } });
  const calls = readFileSync(log, "utf8").split("\0\0").slice(0, -1);
  return calls.map((call) => call.split("\0").slice(1));
}

/** The server in what was printed for a client. */
async function serverIn(client: string, printed: PrintedConfig): Promise<Server> {
  const file = printed.files[0]?.text ?? "";
  const env = (words: readonly string[], option: string): Record<string, string> =>
    Object.fromEntries(
      words.flatMap((word, index) => (words[index - 1] === option ? [splitOnce(word, "=")] : [])),
    );
  if (client === "claude") {
    const [words = []] = await typed(printed.add);
    expect(words.slice(0, 5)).toEqual(["mcp", "add-json", "--scope", "user", "haft"]);
    return JSON.parse(words[5] ?? "") as Server;
  }
  if (client === "codex") {
    const value = (name: string) =>
      JSON.parse(new RegExp(`^${name} = (.*)$`, "m").exec(file)?.[1] ?? "null") as never;
    return { command: value("command"), args: value("args"), env: { HAFT_CONFIG: value("HAFT_CONFIG") } };
  }
  if (client === "gemini" || client === "copilot") {
    const [words = []] = await typed(printed.add);
    const end = words.indexOf("--");
    return client === "gemini"
      ? { command: words[end - 1]!, args: words.slice(end + 1), env: env(words, "-e") }
      : { command: words[end + 1]!, args: words.slice(end + 2), env: env(words, "--env") };
  }
  const written = JSON.parse(file) as Record<string, { haft: Server & { environment: Server["env"] } }>;
  if (client !== "opencode") return written[client === "vscode" ? "servers" : "mcpServers"]!.haft;
  const { command, environment } = written["mcp"]!.haft;
  const [program = "", ...args] = command as unknown as string[];
  return { command: program, args, env: environment };
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return [text.slice(0, at), text.slice(at + 1)];
}

test("reports an unusable configuration before the client starts", async () => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "haft.config.yaml"), "polcy: {}\n");
  for (const [HAFT_CONFIG, wanted] of [
    ["haft.config.yaml", "PATH_RELATIVE"],
    [join(cwd, "haft.config.yaml"), "CONFIG_INVALID"],
  ] as const) {
    const env = { HAFT_CONFIG };
    const { code, stdout, stderr } = await haftHere(["serve", "--print-config", "claude"], { cwd, env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(wanted);
  }
});

test("prints the same server for every client, which serves the folder from any location and name", async () => {
  const cwd = realpathSync(await temporaryFolder());
  const workspace = join(cwd, `it's "a" folder, $HOME \`x\` ä`);
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.txt"), "hello\n");
  writeFileSync(join(cwd, "policy.json"), '{ "deny": ["write"] }');
  writeFileSync(join(cwd, "haft.config.yaml"), "{}\n");
  const options = "--policy policy.json --state state".split(" ");
  const args = ["--workspace", workspace.slice(cwd.length + 1), ...options];
  const servers: Server[] = [];
  for (const client of CLIENTS) {
    const env = { HAFT_CONFIG: join(cwd, "haft.config.yaml") };
    const { code, stdout, stderr } = await haftHere(["serve", "--print-config", client, ...args], {
      cwd,
      env,
    });
    expect({ client, code, stderr }).toEqual({ client, code: 0, stderr: "" });
    servers.push(await serverIn(client, readPrinted(stdout)));
  }
  const [{ args: words, env: variables }] = servers as [Server];
  for (const server of servers) expect(server).toMatchObject({ command: process.execPath, args: words });
  for (const { env } of servers) expect(env["HAFT_CONFIG"]).toBe(join(cwd, "haft.config.yaml"));
  const files = ["--policy", join(cwd, "policy.json"), "--state", join(cwd, "state")];
  expect(words.slice(words.indexOf("serve"))).toEqual(["serve", "--workspace", workspace, ...files]);

  const cursorOutput = await haft(["serve", "--print-config", "cursor", "--no-config"], { cwd });
  const { command, args: start } = await serverIn("cursor", readPrinted(cursorOutput.stdout));
  const { HOME = "", PATH = "" } = process.env;
  const elsewhere = await temporaryFolder();
  const transport = new StdioClientTransport({
    command,
    args: [...start.slice(0, start.indexOf("serve")), ...words.slice(words.indexOf("serve"))],
    cwd: elsewhere,
    env: { HOME, PATH, ...variables },
    stderr: "ignore",
  });
  const mcp = new Client({ name: "tester", version: "1" });
  await mcp.connect(transport);
  onTestFinished(() => mcp.close());
  expect((await mcp.listTools()).tools.map(({ name }) => name)).not.toContain("write");
  const { content } = await mcp.callTool({ name: "read", arguments: { path: "a.txt" } });
  expect(content).toMatchObject([{ type: "text", text: expect.stringContaining("hello") }]);
});

test("tells editors to name a folder and agents to start in one, if none is given", async () => {
  const cwd = await temporaryFolder();
  for (const client of ["claude", "vscode", "cursor"]) {
    const { stdout } = await haftHere(["serve", "--print-config", client, "--no-config"], { cwd });
    const { args } = await serverIn(client, readPrinted(stdout));
    const words = args.slice(args.indexOf("serve") + 1);
    const isEditor = client === "vscode" || client === "cursor";
    expect(words).toEqual(["--no-config", ...(isEditor ? ["--workspace", "${workspaceFolder}"] : [])]);
    expect(stdout).toContain(isEditor ? "This is not tested in" : "The workspace is the folder in which");
    expect(stdout).not.toContain("npx");
  }
});
