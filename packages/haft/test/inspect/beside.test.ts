import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { haft, start, stateFolderOf, temporaryFolder } from "../support/haft.ts";
import { askedAt } from "../support/inspected.ts";

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

test("haft serve --inspect shows its session as it goes; the address is in a file that no session reads, and nowhere else", async () => {
  const cwd = await temporaryFolder();
  const { child, said, file, call } = await serving(cwd, "act");
  expect(file.startsWith(stateFolderOf(cwd))).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const url = readFileSync(file, "utf8").trim();
  const page = askedAt({ url, lookUrl: url, port: Number(new URL(url).port) });
  const events = await page.events();
  await events.until(({ type }) => type === "hello");
  await call(2, "ls", {});
  await events.until((event) => event.type === "call" && event.call.toolName === "ls");
  expect((await page.get("/api/runs")).items).toMatchObject([{ state: "live" }]);
  const [token] = page.token.split(".").slice(1);
  for (const [id, name, args] of [
    [3, "read", { path: file }],
    [4, "exec", { command: `cat ${file} ${stateFolderOf(cwd)}/inspect/* /proc/$PPID/environ; env` }],
  ] as const)
    expect(JSON.stringify(await call(id, name, args))).not.toContain(token);
  expect(said.stderr).not.toContain(token);
  child.stdin.end();
  expect(await once(child, "close")).toEqual([0, null]);
  expect(existsSync(file)).toBe(false);
});

test("what --inspect takes is said", async () => {
  const cwd = await temporaryFolder();
  const { code, stderr } = await haft(["serve", "--inspect=look"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("--inspect takes act, or nothing")]);
});
