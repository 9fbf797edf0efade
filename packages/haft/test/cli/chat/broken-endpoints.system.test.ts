import { once } from "node:events";
import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haft, start } from "../../support/haft.ts";
import { endpoint } from "./scripted-chat.ts";

/** So long that a test fails before a clock that goes on lets the process end. */
const LONG = ["--timeout", "86400"];

const BEGINNING: Readonly<Record<string, readonly object[]>> = {
  openai: [{ id: "1", choices: [{ index: 0, delta: { role: "assistant", content: "Half" } }] }],
  anthropic: [
    {
      type: "message_start",
      message: {
        id: "1",
        model: "x",
        role: "assistant",
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } },
  ],
  google: [{ candidates: [{ content: { role: "model", parts: [{ text: "Half" }] } }] }],
};
const APIS = Object.keys(BEGINNING);

/** Answers with the beginning of an answer. */
const half =
  (api: string, then: (response: Parameters<RequestListener>[1]) => void): RequestListener =>
  (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const events = BEGINNING[api]!.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    response.write(events, () => then(response));
  };

describe("the process ends after the answer", () => {
  test.each(APIS)("if the connection breaks: %s", async (api) => {
    const url = await endpoint(half(api, (response) => response.destroy()));
    const run = await haft(["chat", "-p", "x", "--base-url", url, "--model", `${api}/x`, ...LONG], {
      cwd: await temporaryFolder(),
    });
    expect(run).toMatchObject({
      code: 1,
      stdout: "Half\n",
      stderr: expect.stringContaining("[MODEL_FAILED]"),
    });
  });

  test.each([
    ["openai", { error: { message: "Overheated.", code: 500 } }],
    ["anthropic", { type: "error", error: { type: "api_error", message: "Overheated." } }],
  ])("if an error arrives on an open connection: %s", async (api, error) => {
    const url = await endpoint(half(api, (response) => response.write(`data: ${JSON.stringify(error)}\n\n`)));
    const run = await haft(["chat", "-p", "x", "--base-url", url, "--model", `${api}/x`, ...LONG], {
      cwd: await temporaryFolder(),
    });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("Overheated.") });
  });

  test("if the endpoint stops sending", async () => {
    const url = await endpoint(half("openai", () => {}));
    const args = ["chat", "-p", "x", "--base-url", url, "--model", "openai/x", "--timeout", "1"];
    const run = await haft(args, { cwd: await temporaryFolder() });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("[MODEL_FAILED]") });
  });

  test("if a user stops it while the endpoint sends nothing", async () => {
    const url = await endpoint(half("openai", () => {}));
    const args = ["chat", "-p", "x", "--base-url", url, "--model", "openai/x", ...LONG];
    const child = start(args, await temporaryFolder());
    child.stdin.end();
    child.stdout.once("data", () => child.kill("SIGINT"));
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect({ code, said: errors }).toMatchObject({ code: 130 });
  });
});
