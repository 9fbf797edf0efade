import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { until } from "../../../../test/support/until.ts";
import { start } from "../support/haft.ts";

// What reads the output of a command may be slow, or leave first.

describe("a closed output causes no stack trace and keeps the exit code", () => {
  test.each([
    ["policy schema", ["policy", "schema"], 0],
    ["tools", ["tools", "--all"], 0],
    ["tools call", ["tools", "call", "ls", "{}"], 0],
    ["run", ["run", "--json"], 0],
  ])("%s", async (_name, args, code) => {
    const cwd = await temporaryFolder();
    const child = start(args, cwd);
    child.stdout.destroy();
    child.stdin.on("error", () => {});
    child.stdin.end('{"name":"ls","arguments":{}}\n'.repeat(3));
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect({ stderr, status }).toEqual({ stderr: "", status: code });
  });

  test("for standard error", async () => {
    const cwd = await temporaryFolder();
    const child = start(["nosuch"], cwd);
    child.stderr.destroy();
    expect(await once(child, "exit")).toEqual([2, null]);
  });
});

describe("a slow reader receives everything", () => {
  const line = `${"x".repeat(99)}\n`;
  // More than a pipe takes, and more than waits in a stream.
  const calls = 20;
  const input = Array.from(
    { length: calls },
    (_, index) => `{"name":"read","arguments":{"path":"big.txt","offset":${index + 1},"limit":600}}\n`,
  ).join("");

  async function withBigFile(): Promise<string> {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "big.txt"), line.repeat(2000));
    return cwd;
  }

  test("from all answers of run", async () => {
    const child = start(["run", "--json"], await withBigFile());
    child.stdin.end(input);
    // Until it cannot write on, or has ended.
    await once(child.stdout, "readable");
    const output = await text(child.stdout);
    const kinds = output
      .trimEnd()
      .split("\n")
      .map((each) => (JSON.parse(each) as { kind: string }).kind);
    expect(kinds).toEqual(Array.from({ length: calls }, () => "ok"));
  });

  test("from the answers before a signal", async () => {
    const child = start(["run", "--json"], await withBigFile());
    child.stdin.write(input);
    await once(child.stdout, "readable");
    child.kill("SIGTERM");
    const [output, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect(status).toBe(143);
    // The last one is as whole as the first.
    expect(output.endsWith("\n")).toBe(true);
    const answers = output
      .trimEnd()
      .split("\n")
      .map((each) => JSON.parse(each) as { kind: string });
    const kinds = answers.map(({ kind }) => kind);
    // Beside busy processes it may arrive while one is read.
    if (kinds.at(-1) === "cancelled") kinds.pop();
    expect([...new Set(kinds)]).toEqual(["ok"]);
  });

  test("a closed terminal ends running calls like SIGTERM, with a matching exit code", async () => {
    const cwd = await temporaryFolder();
    const child = start(["run", "--json"], cwd);
    const command = `touch there; tail -f ${join(cwd, "there")}`;
    child.stdin.write(`${JSON.stringify({ name: "exec", arguments: { command } })}\n`);
    await until("the command runs", () => existsSync(join(cwd, "there")));
    // The terminal says it to all that run there, and so may the shell; nothing can be read or written any more.
    child.kill("SIGHUP");
    child.stdin.destroy();
    child.stdout.destroy();
    child.kill("SIGHUP");
    expect(await once(child, "exit")).toEqual([129, null]);
    const running = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(running.split("\n").filter((line) => line.includes(cwd))).toEqual([]);
  });

  test("a signal ends the running call and starts no other", async () => {
    const cwd = await temporaryFolder();
    const child = start(["run", "--json"], cwd);
    const answers = text(child.stdout);
    // What does not end at once leaves the others time to begin.
    const command = "trap '' TERM; touch there; sleep 60";
    const calls = [{ name: "exec", arguments: { command } }, ...["a", "b"].map((id) => ({ id, name: "ls" }))];
    child.stdin.write(calls.map((call) => `${JSON.stringify({ arguments: {}, ...call })}\n`).join(""));
    await until("the command runs", () => existsSync(join(cwd, "there")));
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([143, null]);
    const [only, ...more] = (await answers).trimEnd().split("\n");
    expect(more).toEqual([]);
    expect(JSON.parse(only!)).toMatchObject({ toolName: "exec", kind: "cancelled" });
  });
});
