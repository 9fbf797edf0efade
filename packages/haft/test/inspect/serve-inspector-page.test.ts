import { getCurrentProcess } from "@haft/system";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createClientAt } from "../../../inspector/test/support/inspector-client.ts";
import { haft, haftHere, start } from "../support/haft.ts";

/** `haft serve --inspect`, spoken with by lines. */
async function serving(cwd: string, ...args: string[]) {
  const child = start(["serve", "--no-config", "--inspect", ...args], cwd);
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (said.stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said.stderr += chunk));
  const line = (value: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...value })}\n`);
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  };
  line({ id: 1, method: "initialize", params });
  line({ method: "notifications/initialized" });
  const file = await vi.waitUntil(() => /is in (\/\S+)\n/.exec(said.stderr)?.[1], { timeout: 60_000 });
  const call = async (id: number, name: string, args_: object) => {
    line({ id, method: "tools/call", params: { name, arguments: args_ } });
    return vi.waitUntil(
      () =>
        said.stdout
          .split("\n")
          .filter((text) => text.startsWith("{"))
          .map((text) => JSON.parse(text))
          .find((message) => message.id === id),
      { timeout: 60_000 },
    );
  };
  return { child, said, file, call };
}

test("haft serve --inspect shows its session live, and stores the address only in a file that sessions cannot read", async () => {
  const cwd = await temporaryFolder();
  const { child, said, file, call } = await serving(cwd, "act");
  expect(file.startsWith(getStateFolder(cwd))).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const url = readFileSync(file, "utf8").trim();
  const page = createClientAt({ url, lookUrl: url, port: Number(new URL(url).port) });
  const events = await page.events();
  await events.until(({ type }) => type === "hello");
  await call(2, "ls", {});
  await events.until((event) => event.type === "call" && event.call.toolName === "ls");
  expect((await page.get("/api/runs")).items).toMatchObject([{ state: "live" }]);
  const [token] = page.token.split(".").slice(1);
  for (const [id, name, args] of [
    [3, "read", { path: file }],
    [4, "exec", { command: `cat ${file} ${getStateFolder(cwd)}/inspect/* /proc/$PPID/environ; env` }],
  ] as const)
    expect(JSON.stringify(await call(id, name, args))).not.toContain(token);
  expect(said.stderr).not.toContain(token);
  child.stdin.end();
  expect(await once(child, "close")).toEqual([0, null]);
  expect(existsSync(file)).toBe(false);
});

test("reports a wrong value of --inspect", async () => {
  const cwd = await temporaryFolder();
  const { code, stderr } = await haftHere(["serve", "--inspect=look"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("--inspect takes act, or nothing")]);
});

test("removes files of a killed page and endpoint at the next start, and no others", async () => {
  const cwd = await temporaryFolder();
  const state = getStateFolder(cwd);
  const { child, file } = await serving(cwd);
  const endpoints = join(state, "serve");
  mkdirSync(endpoints, { recursive: true, mode: 0o700 });
  const { pid, started } = getCurrentProcess();
  const stored = {
    // Of a process that runs; of another one that had its pid before; what is not Haft's.
    [join(dirname(file), `address-${pid}-${started}-1`)]: "",
    [join(dirname(file), "address-of-somebody")]: "",
    [join(endpoints, "endpoint-2.json")]: JSON.stringify({ url: "http://127.0.0.1:2/mcp", pid, started }),
    [join(endpoints, "endpoint-4.json")]: "{",
  };
  const left = {
    [join(dirname(file), `address-${pid}-${started + 1}-3`)]: "",
    [join(endpoints, "endpoint-3.json")]: JSON.stringify({
      url: "http://127.0.0.1:3/mcp",
      pid,
      started: started + 1,
    }),
  };
  for (const [path, text] of Object.entries({ ...stored, ...left }))
    writeFileSync(path, text, { mode: 0o600 });
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
  expect(existsSync(file)).toBe(true);

  const next = await haft(["serve", "--no-config"], { cwd });
  expect(next.code).toBe(0);
  expect([file, ...Object.keys(left)].filter((path) => existsSync(path))).toEqual([]);
  expect(Object.keys(stored).filter((path) => !existsSync(path))).toEqual([]);
});
