import { describe, expect, test } from "vitest";
import { readOptions } from "../src/usage.ts";
import { runDemo, runDemoWith } from "./run-demo.ts";

describe("wrong usage ends with code 2, a message and no stack", () => {
  test.each([
    [["--prat", "tools"], "demo: There is no option --prat. Did you mean --part?"],
    [["--part", "nonsense"], 'demo: There is no part "nonsense"; there are tools, repair, denied, formats, ledger.'],
    [["--part"], "demo: Option '--part <value>' argument missing."],
    [["extra"], "demo: Unexpected argument 'extra'."],
    [["--live", "--offline"], "demo: --live and --offline exclude each other."],
    [["--live"], "demo: --live needs OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY in the environment."],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr, left } = await runDemo(args);
    expect(stderr).toBe(`${message}\nSee npm run demo -- --help.\n`);
    expect(stdout).toBe("");
    expect(code).toBe(2);
    expect(left).toEqual([]);
  });

  test("an address that is none, or one without a model", async () => {
    const noUrl = await runDemo([], { env: { OPENAI_BASE_URL: "nowhere" } });
    expect(noUrl).toMatchObject({ code: 2, stdout: "" });
    expect(noUrl.stderr).toContain("OPENAI_BASE_URL is not a URL: nowhere.");
    const noModel = await runDemo([], { env: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" } });
    expect(noModel).toMatchObject({ code: 2, stdout: "" });
    expect(noModel.stderr).toContain("OPENAI_MODEL must name a model");
  });
});

test("--help lists every option there is, and only those", async () => {
  const { code, stdout } = await runDemo(["--help"]);
  expect(code).toBe(0);
  const listed = Array.from(stdout.matchAll(/^ +(?:-h, )?(--[a-z-]+)/gm), ([, name]) => name!);
  expect(listed).toEqual(["--part", "--live", "--offline", "--keep", "--json", "--no-color", "--help"]);
  for (const name of listed) expect(() => readOptions(name === "--part" ? [name, "tools"] : [name])).not.toThrow();
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
});

describe("a model that does not answer", () => {
  test("an error of the endpoint is said in one line, and the copy is removed", async () => {
    const run = await runDemoWith(() => ({}), [], { env: { OPENAI_MODEL: "other" } });
    expect(run.stderr).toBe('demo: The model did not answer: There is no model "other"; there are: scripted.\n');
    expect(run).toMatchObject({ code: 1, left: [] });
  });

  test("Ctrl-C while it thinks: code 130, nothing left", async () => {
    const run = await runDemoWith(() => new Promise(() => {}), ["--part", "repair"], {
      started(child) {
        child.stdout?.on("data", (part: Buffer) => {
          if (part.toString().includes("1 fails")) setTimeout(() => child.kill("SIGINT"), 200);
        });
      },
    });
    expect(run.stderr).toBe("\nStopped.\n");
    expect(run).toMatchObject({ code: 130, left: [] });
  });

  test("nobody reads the output: no stack, nothing left", async () => {
    const run = await runDemo([], {
      started: (child) => void child.stdout?.once("data", () => child.stdout?.destroy()),
    });
    expect(run).toMatchObject({ code: 1, stderr: "\nStopped.\n", left: [] });
  });
});
