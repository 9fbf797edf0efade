import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A collector on this machine: what it was sent, by path. Texts of protobuf stand there as they are. */
async function collector(answer: "200" | "503" | "none") {
  const got: { path: string; type: string; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { url = "", headers } = request;
      got.push({ path: url, type: String(headers["content-type"]), body: Buffer.concat(parts) });
      if (answer !== "none") response.writeHead(Number(answer)).end();
    });
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { got, url: `http://127.0.0.1:${port}` };
}

const PROGRAM = `
const { createTelemetry, startTelemetry } = await import("@haft/otel");
const { definePlugin, defineTool, text } = await import("@haft/core");
const { Registry, SessionFactory } = await import("@haft/core/kernel");
const telemetry = await startTelemetry({ onProblem: (message) => console.log("PROBLEM " + message) });
const tool = defineTool({
  name: "hello", description: "Greets.", effects: [], parameters: { type: "object", properties: {} },
  execute: () => ({ content: [text("hello")], details: {} }),
});
const allow = { effect: "allow", id: "all", reason: "", trace: [] };
const policy = { forSession: () => ({ visibility: () => allow, call: () => allow }) };
const factory = new SessionFactory({ policy, registry: new Registry({ plugins: [definePlugin({ id: "t", tools: [tool] })] }) });
const workspace = { fs: {}, describe: () => ({ target: "host", cwd: "/w", mounts: [], boundary: "none" }) };
const session = await factory.open({ kind: "main", workspace });
telemetry.observe(session);
console.log((await session.call({ name: "hello" })).kind);
await session.close();
await Promise.all([telemetry.close(), telemetry.close()]);
console.log("closed");
`;

/** In a process of its own: the SDK is registered once in each. */
async function run(env: Record<string, string>): Promise<string[]> {
  const child = spawn(process.execPath, ["--conditions=@haft/source", "--input-type=module", "-e", PROGRAM], {
    cwd: import.meta.dirname,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => (printed += part.toString()));
  await once(child, "close");
  return printed.trim().split("\n");
}

test("exports spans and metrics to the endpoint and with the service name of the variables", async () => {
  const { got, url } = await collector("200");
  const other = await collector("200");
  const named = {
    OTEL_SERVICE_NAME: "my-agent",
    OTEL_TRACES_EXPORTER: "OTLP",
    OTEL_METRICS_EXPORTER: "none",
  };
  const printed = await Promise.all([
    run({ OTEL_EXPORTER_OTLP_ENDPOINT: url }),
    run({ OTEL_EXPORTER_OTLP_ENDPOINT: other.url, ...named }),
  ]);
  expect(printed).toEqual([
    ["ok", "closed"],
    ["ok", "closed"],
  ]);
  const bodyOf = (path: string) => got.find((one) => one.path === path)?.body.toString("latin1");
  expect(bodyOf("/v1/traces")).toContain("execute_tool hello");
  expect(bodyOf("/v1/traces")).toContain("service.name");
  // The command line holds what was said.
  for (const { body } of got) expect(body.toString("latin1")).not.toMatch(/process\.|--eval|\.ts\b/);
  expect(bodyOf("/v1/metrics")).toContain("gen_ai.execute_tool.duration");
  expect(other.got.map(({ path }) => path)).toEqual(["/v1/traces"]);
  expect(other.got[0]?.body.toString("latin1")).toContain("my-agent");
});

test("reports a missing, refusing or silent collector once and lets the process exit", async () => {
  const missing = { url: "http://127.0.0.1:9" };
  const refusing = await collector("503");
  const silent = await collector("none");
  const all = await Promise.all(
    [missing, refusing, silent].map(({ url }) => run({ OTEL_EXPORTER_OTLP_ENDPOINT: url })),
  );
  for (const printed of all) {
    expect(printed[0]).toBe("ok");
    expect(printed.at(-1)).toBe("closed");
    const problems = printed.slice(1, -1);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^PROBLEM (Telemetry could not be sent|Not all telemetry was sent)/);
  }
});

test.each([
  [{ OTEL_SDK_DISABLED: "TRUE" }, []],
  [{ OTEL_TRACES_EXPORTER: "none" }, ["/v1/metrics"]],
  [{ OTEL_TRACES_EXPORTER: "None", OTEL_METRICS_EXPORTER: "NONE" }, []],
] as const)("with %j exports no disabled signal and reports no problem", async (env, paths) => {
  const { got, url } = await collector("200");
  expect(await run({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env })).toEqual(["ok", "closed"]);
  expect([...new Set(got.map(({ path }) => path))]).toEqual(paths);
});
