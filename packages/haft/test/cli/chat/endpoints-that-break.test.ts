import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { haft, start, temporaryFolder } from "../../support/haft.ts";

/** So long that a test fails before a clock that goes on lets the process end. */
const LONG = ["--timeout", "86400"];

async function endpoint(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

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

describe("the process ends when the answer has", () => {
  test.each(APIS)("%s: the connection breaks", async (api) => {
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
  ])("%s: an error comes in the middle, and the connection stays open", async (api, error) => {
    const url = await endpoint(half(api, (response) => response.write(`data: ${JSON.stringify(error)}\n\n`)));
    const run = await haft(["chat", "-p", "x", "--base-url", url, "--model", `${api}/x`, ...LONG], {
      cwd: await temporaryFolder(),
    });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("Overheated.") });
  });

  test("nothing more comes", async () => {
    const url = await endpoint(half("openai", () => {}));
    const args = ["chat", "-p", "x", "--base-url", url, "--model", "openai/x", "--timeout", "1"];
    const run = await haft(args, { cwd: await temporaryFolder() });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("[MODEL_FAILED]") });
  });

  test("somebody stops it while nothing comes", async () => {
    const url = await endpoint(half("openai", () => {}));
    const args = ["chat", "-p", "x", "--base-url", url, "--model", "openai/x", ...LONG];
    const child = start(args, await temporaryFolder());
    child.stdin.end();
    child.stdout.once("data", () => child.kill("SIGINT"));
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect({ code, said }).toMatchObject({ code: 130 });
  });
});

describe("an endpoint that leads elsewhere", () => {
  const KEY = "sk-of-mine";

  test.each([
    ...APIS.map((api) => [api, 307] as const),
    ["openai", 302] as const,
    ["anthropic", 308] as const,
  ])("%s, %d: neither the key nor what is said goes there", async (api, status) => {
    const stolen: string[] = [];
    const other = await endpoint(({ url, headers }, response) => {
      stolen.push(`${url} ${JSON.stringify(headers)}`);
      response.writeHead(404).end();
    });
    const named = await endpoint(({ url }, response) => {
      response.writeHead(status, { location: `${other}/deeper${url}` }).end();
    });
    const run = await haft(
      ["chat", "-p", "x", "--base-url", named, "--model", `${api}/x`, "--key-env", "MINE"],
      { cwd: await temporaryFolder(), env: { MINE: KEY } },
    );
    expect(stolen).toEqual([]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    const path = api === "google" ? "v1beta" : "v1";
    expect(run.stderr).toContain(`leads to ${other}/deeper/${path}/`);
    expect(run.stderr).toContain(`--base-url ${other}/deeper/${path} (`);
    expect(run.stderr).toContain("[MODEL_UNREACHABLE]");
  });

  test("within its own address it is followed, and not for ever", async () => {
    const keys: unknown[] = [];
    const url = await endpoint(({ url: asked, headers }, response) => {
      keys.push(headers["authorization"]);
      if (asked?.startsWith("/v1/")) response.writeHead(307, { location: "/there" }).end();
      else if (asked === "/there") response.writeHead(401).end("{}");
      else response.writeHead(307, { location: asked }).end();
    });
    const options = ["--model", "openai/x", "--key-env", "MINE"];
    const more = { cwd: await temporaryFolder(), env: { MINE: KEY } };
    const followed = await haft(["chat", "-p", "x", "--base-url", url, ...options], more);
    expect(followed.stderr).toContain("[MODEL_KEY]");
    expect(keys).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    const round = await haft(["chat", "-p", "x", "--base-url", `${url}/round`, ...options], more);
    expect(round.stderr).toContain("[MODEL_UNREACHABLE]");
  });
});
