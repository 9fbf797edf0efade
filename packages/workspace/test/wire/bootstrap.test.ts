import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { BOOTSTRAP, sendProgram } from "../../src/wire/runner-program.ts";

const PROGRAM = 'process.stdout.write("ran");//' + "x".repeat(1000);

function sent(source: string): Buffer {
  const stream = new PassThrough();
  sendProgram(stream, source);
  return stream.read() as Buffer;
}

async function run(input: Uint8Array): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ["-e", BOOTSTRAP], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
  child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

describe("a program sent over standard input", () => {
  // The last two parts hold a program that is valid by itself.
  test.each([0, 1, 3, 4, 5, 40, 1020])("does not run and ends after %d bytes", async (length) => {
    expect(await run(sent(PROGRAM).subarray(0, length))).toEqual({ code: 0, output: "" });
  });

  test("runs if it is complete", async () => {
    expect(await run(sent(PROGRAM))).toEqual({ code: 0, output: "ran" });
  });
});
