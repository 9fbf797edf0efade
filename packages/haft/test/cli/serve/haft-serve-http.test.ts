import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { isSkipped } from "../../../../host/test/sandbox/support.ts";
import { haftHere, start } from "../../support/haft.ts";

const [LAPTOP, CI] = ["laptop-".padEnd(32, "l"), "ci-".padEnd(32, "c")];

/** `haft serve --http` on a free port; answers where. */
async function serving(cwd: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = start(["serve", "--http", "0", ...args], cwd, env);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return { url, child, stderr: () => stderr };
  }
  throw new Error(`It did not begin: ${stderr}`);
}

async function clientOf(url: string, token: string, session?: string): Promise<Client> {
  const headers = { authorization: `Bearer ${token}`, ...(session && { "haft-session": session }) };
  const client = new Client(
    { name: "tester", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

async function configured() {
  const parent = await temporaryFolder();
  const at = (name: string) => join(parent, name);
  for (const name of ["own", "ci"]) mkdirSync(at(name));
  writeFileSync(at("own/laptop.token"), `${LAPTOP}\n`, { mode: 0o600 });
  writeFileSync(at("own/a.txt"), "mine\n");
  writeFileSync(at("ci/a.txt"), "theirs\n");
  writeFileSync(at("laptop.yaml"), "exec: { preset: contained }\n");
  writeFileSync(at("ci.yaml"), "sessions: { group: { deny: [grep] } }\n");
  const config = `
serve:
  tokens:
    laptop: { token: { file: own/laptop.token }, policy: laptop.yaml }
    ci: { token: { env: CI_TOKEN }, kind: group, workspace: ci, policy: ci.yaml }
`;
  writeFileSync(at("haft.config.yaml"), config);
  return { cwd: at("own"), at, args: ["--config", at("haft.config.yaml")] };
}

test("reports unusable tokens before it listens", async () => {
  const { cwd, at, args } = await configured();
  const refused = async (env: Record<string, string>) =>
    await haftHere(["serve", "--http", "0", ...args], { cwd, env });
  expect((await refused({})).stderr).toContain("the variable CI_TOKEN has no token");
  expect((await refused({ CI_TOKEN: LAPTOP })).stderr).toContain("it equals the token laptop");
  chmodSync(at("own/laptop.token"), 0o644);
  expect(await refused({ CI_TOKEN: CI })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/can be read by others\.\nRun `chmod 600/),
  });
});

test.runIf(process.platform === "linux")("listens only on this machine", async () => {
  const cwd = await temporaryFolder();
  const { url, child } = await serving(cwd, ["--no-config"]);
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
  const listening = ["tcp", "tcp6"]
    .flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").split("\n"))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${port}`) && state === "0A")
    .map(([, local]) => local);
  expect(listening).toEqual([`0100007F:${port}`]);
  child.kill("SIGTERM");
  await once(child, "close");
});

test("gives each token its folder, kind and rules, and hides all tokens", async () => {
  const { cwd, at, args } = await configured();
  const { url, child } = await serving(cwd, args, { CI_TOKEN: CI });
  const [laptop, ci] = [await clientOf(url, LAPTOP), await clientOf(url, CI)];
  const read = (client: Client, path = "a.txt") => client.callTool({ name: "read", arguments: { path } });
  expect((await read(laptop)).content).toMatchObject([{ text: "mine\n" }]);
  expect((await read(ci)).content).toMatchObject([{ text: "theirs\n" }]);
  expect((await read(laptop, "laptop.token")).isError).toBe(true);
  if (!isSkipped) {
    const command = "cat laptop.token; cat a.txt";
    const { content } = await laptop.callTool({ name: "exec", arguments: { command } });
    expect(JSON.stringify(content)).toContain("mine");
    expect(JSON.stringify(content)).not.toContain(LAPTOP);
  }
  const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names(laptop)).toContain("grep");
  expect(await names(ci)).not.toContain("grep");

  // A token that was taken back is refused at once.
  writeFileSync(at("own/laptop.token"), `${LAPTOP.replace("laptop", "newone")}\n`);
  await expect(laptop.listTools()).rejects.toThrow("token");
  await clientOf(url, LAPTOP.replace("laptop", "newone"));

  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([143, null]);
  const { stdout } = await haftHere(["ledger", "list", "--all", "--json", ...args], { cwd });
  expect(stdout).toContain("mcp:laptop");
  expect(stdout).toContain("mcp:ci");
});

test("creates one token without a configuration, readable only by its user", async () => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "a.txt"), "here\n");
  const { url, child } = await serving(cwd, ["--no-config"]);
  const file = join(getStateFolder(cwd), "serve", "token");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const client = await clientOf(url, readFileSync(file, "utf8").trim());
  const { content } = await client.callTool({ name: "read", arguments: { path: "a.txt" } });
  expect(content).toMatchObject([{ text: "here\n" }]);
  await expect(clientOf(url, "x".repeat(40))).rejects.toThrow("401");

  child.kill("SIGTERM");
  await once(child, "close");
  // Its calls are kept under its name, and whoever looks at the conversation of the folder is told.
  const ledger = (...more: string[]) => haftHere(["ledger", "--no-config", ...more], { cwd });
  expect((await ledger()).stdout).toMatch(
    /^Nothing is recorded of cli:main:\w+, the conversation of this folder\. There are records of mcp:own: .+have the key mcp:NAME/,
  );
  expect((await ledger("--json")).lines()).toEqual([{ calls: [], elsewhere: ["mcp:own"] }]);
  expect((await ledger("--session", "mcp:own")).stdout).toMatch(/read a\.txt +ok/);
});
