import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { Script } from "../../../scripts/lib/scripted-model/script.ts";
import { repairScript } from "../src/model.ts";
import { readOptions, UsageError } from "../src/usage.ts";
import { runDemo, runDemoWith } from "./run-demo.ts";

describe("wrong usage", () => {
  test.each([
    [["--prat", "tools"], "Unknown option '--prat'."],
    [
      ["--part", "nonsense"],
      'There is no part "nonsense"; there are tools, repair, denied, sandbox, node, contained, formats, ledger, chat.',
    ],
    [["--part"], "Option '--part <value>' argument missing."],
    [["extra"], "Unexpected argument 'extra'."],
    [["--live", "--offline"], "--live and --offline exclude each other."],
  ])("%j", (args, message) => {
    expect(() => readOptions(args)).toThrow(new UsageError(message));
  });

  test.each([
    [["--nope"], "Unknown option '--nope'."],
    [["--live"], "--live needs OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY in the environment."],
  ])("%j ends the process with code 2, a message and no stack", async (args, message) => {
    const run = await runDemo(args);
    expect(run).toEqual({
      code: 2,
      stdout: "",
      stderr: `demo: ${message}\nSee npm run demo -- --help.\n`,
      leftovers: [],
      // Unknown without /proc.
      running: existsSync("/proc/self/cwd") ? [] : undefined,
    });
  });

  test("rejects an invalid address and an address without a model", async () => {
    const noUrl = await runDemo([], { env: { OPENAI_BASE_URL: "nowhere" } });
    expect(noUrl).toMatchObject({ code: 2, stdout: "" });
    expect(noUrl.stderr).toContain("OPENAI_MODEL must name a model");
    const noAddress = await runDemo([], { env: { OPENAI_BASE_URL: "nowhere", OPENAI_MODEL: "m" } });
    expect(noAddress).toMatchObject({ code: 1, stdout: "" });
    expect(noAddress.stderr).toContain("The model's address is not a URL");
    const noModel = await runDemo([], { env: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" } });
    expect(noModel).toMatchObject({ code: 2, stdout: "" });
    expect(noModel.stderr).toContain("OPENAI_MODEL must name a model");
  });
});

test("--help lists exactly the existing options", async () => {
  const { code, stdout } = await runDemo(["--help"]);
  expect(code).toBe(0);
  const listed = Array.from(stdout.matchAll(/^ +(?:-h, )?(--[a-z-]+)/gm), ([, name]) => name!);
  expect(listed).toEqual([
    "--part",
    "--live",
    "--offline",
    "--web",
    "--keep",
    "--json",
    "--no-color",
    "--help",
  ]);
  for (const name of listed)
    expect(() => readOptions(name === "--part" ? [name, "tools"] : [name])).not.toThrow();
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
});

describe("a model that does not answer", () => {
  test("prints an error of the endpoint in one line and removes the copy", async () => {
    const run = await runDemoWith(() => ({}), [], { env: { OPENAI_MODEL: "other" } });
    expect(run.stderr).toMatch(
      /^demo: The model did not answer: 127\.0\.0\.1:\d+ answered 400: The script: there is no model "other"; there are: scripted\.\n$/,
    );
    expect(run).toMatchObject({ code: 1, leftovers: [] });
  });

  test("a key for Anthropic takes the model there", async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url, request.headers["x-api-key"]);
      const error = { type: "authentication_error", message: "invalid x-api-key" };
      response
        .writeHead(401, { "content-type": "application/json" })
        .end(JSON.stringify({ type: "error", error }));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const run = await runDemo(["--live", "--part", "denied"], {
      env: { ANTHROPIC_API_KEY: "no-key", ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/v1` },
    });
    server.close();
    expect(asked).toEqual(["/v1/messages", "no-key"]);
    expect(run.stderr).toBe(
      `demo: The model did not answer: 127.0.0.1:${port} answered 401: invalid x-api-key\n`,
    );
    expect(run).toMatchObject({ code: 1, leftovers: [] });
  });

  test("Ctrl-C while it thinks: code 130, nothing left", async () => {
    const run = await runDemoWith(() => new Promise(() => {}), ["--part", "repair"], {
      started(child) {
        child.stdout?.on("data", (part: Buffer) => {
          if (part.toString().includes("1 fail.")) setTimeout(() => child.kill("SIGINT"), 200);
        });
      },
    });
    expect(run.stderr).toBe("\nStopped.\n");
    expect(run).toMatchObject({ code: 130, leftovers: [] });
  });

  test("Ctrl-C while the server runs: nothing is left running", async () => {
    const hesitant: Script = async (request) => {
      const reply = await repairScript(request);
      return reply.calls?.[0]?.name === "process" ? new Promise(() => {}) : reply;
    };
    const run = await runDemoWith(hesitant, ["--part", "repair"], {
      started(child) {
        child.stdout?.on("data", (part: Buffer) => {
          if (part.toString().includes("Command still running")) setTimeout(() => child.kill("SIGINT"), 200);
        });
      },
    });
    expect(run.stdout).toContain("exec node src/server.js");
    expect(run.stderr).toBe("\nStopped.\n");
    expect(run).toMatchObject({ code: 130, leftovers: [] });
    expect(run.running ?? []).toEqual([]);
  });

  test("prints no stack and leaves no files if the output is closed", async () => {
    const run = await runDemo([], {
      started: (child) => void child.stdout?.once("data", () => child.stdout?.destroy()),
    });
    expect(run).toMatchObject({ code: 1, stderr: "\nStopped.\n", leftovers: [] });
  });
});
