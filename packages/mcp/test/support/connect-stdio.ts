import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import { type ServedStdio, serveStdio, type SessionSource, type StdioOptions } from "../../src/index.ts";

/** The revisions that clients speak. */
export const ERAS = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof ERAS)[number];

export interface StdioConnection {
  client: Client;
  served: ServedStdio;
  /** Every line that the server wrote. */
  lines: string[];
  /** What the client says, for what no client would. */
  input: PassThrough;
}

/** The official client, at the other end of two streams. */
export async function connectStdio(
  source: SessionSource,
  {
    era,
    options = {},
    client: clientOptions = {},
    prepare,
  }: { era: Era; options?: StdioOptions; client?: ClientOptions; prepare?: (client: Client) => void },
): Promise<StdioConnection> {
  const input = new PassThrough();
  const output = new PassThrough();
  const served = await serveStdio(source, { ...options, input, output });
  const lines: string[] = [];
  const client = new Client(
    { name: "tester", version: "1" },
    { versionNegotiation: { mode: era === "2025-11-25" ? "legacy" : { pin: era } }, ...clientOptions },
  );
  prepare?.(client);
  onTestFinished(async () => {
    await client.close();
    await served.close();
  });
  await connect(client, { input, output, lines });
  return { client, served, lines, input };
}

async function connect(
  client: Client,
  { input, output, lines }: { input: PassThrough; output: PassThrough; lines: string[] },
): Promise<void> {
  let rest = "";
  const transport: Parameters<Client["connect"]>[0] = {
    async start() {
      output.on("data", (bytes: Buffer) => {
        const parts = (rest + bytes.toString("utf8")).split("\n");
        rest = parts.pop()!;
        for (const line of parts) {
          lines.push(line);
          transport.onmessage?.(JSON.parse(line));
        }
      });
    },
    async send(message) {
      input.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      input.end();
      transport.onclose?.();
    },
  };
  await client.connect(transport);
}
