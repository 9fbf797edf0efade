import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFaultWorkspace } from "../durability/faults/faulty-host.ts";
import { haft, haftHere } from "../support/haft.ts";

/** As where a package is not installed. */
function without(missing: string): string {
  const source = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(name, context, next) {
        if (name !== "${missing}") return next(name, context);
        throw Object.assign(new Error("Cannot find package '" + name + "' imported from here"), { code: "ERR_MODULE_NOT_FOUND" });
      },
    });`;
  return `--import data:text/javascript;base64,${Buffer.from(source).toString("base64")}`;
}

async function configured() {
  const workspace = await createFaultWorkspace();
  mkdirSync(workspace.stateDir, { mode: 0o700 });
  const config = join(workspace.stateDir, "haft.config.yaml");
  writeFileSync(config, "telemetry: { arguments: true }\n");
  const call = (env: Record<string, string>, start = haft) =>
    start(
      ["tools", "call", "ls", '{"path":"."}', "--config", config, "--state", `${workspace.stateDir}/own`],
      {
        cwd: workspace.cwd,
        env,
      },
    );
  return { call, words: ["--config", config, "--state", `${workspace.stateDir}/own`], cwd: workspace.cwd };
}

test.each(["@haft/otel", "@opentelemetry/sdk-node"])(
  "prints the install command without %s",
  async (name) => {
    const { call } = await configured();
    const called = await call({ NODE_OPTIONS: without(name) });
    expect(called.code).toBe(1);
    expect(called.stdout).toBe("");
    expect(called.stderr).toMatch(
      new RegExp(
        `^haft: telemetry needs ${name}, which is not installed beside Haft\\.\nInstall it: npm install .*@haft/otel@\\S+ .*@opentelemetry/sdk-node.* \\[PACKAGE_MISSING\\]\n$`,
      ),
    );
  },
);

test("runs commands without a session without the packages", async () => {
  const { words, cwd } = await configured();
  const { code } = await haft(["tools", ...words], { cwd, env: { NODE_OPTIONS: without("@haft/otel") } });
  expect(code).toBe(0);
});

test("sends the configured data to the address in the variables", async () => {
  const got: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding("latin1").on("data", (text: string) => got.push(text));
    request.on("end", () => response.end());
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { call } = await configured();
  const { code, stderr } = await call({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  expect([code, stderr]).toEqual([0, ""]);
  const sent = got.join("");
  for (const text of ["execute_tool ls", '{"path":"."}', "gen_ai.execute_tool.duration"])
    expect(sent).toContain(text);
});

test("reports a silent collector once, and exits despite unsent data", async () => {
  const server = createServer(() => {});
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { call } = await configured();
  const { code, stderr } = await call({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    // Longer than this test may take.
    OTEL_EXPORTER_OTLP_TIMEOUT: "3000000",
    OTEL_METRIC_EXPORT_TIMEOUT: "3000000",
    OTEL_METRIC_EXPORT_INTERVAL: "3000000",
  });
  expect(stderr).toMatch(/^haft: Not all telemetry was sent within 2 s, .*\n$/);
  expect(code).toBe(0);
});

test("rejects an exporter that prints to standard output, and runs nothing", async () => {
  const { call } = await configured();
  const { code, stdout, stderr } = await call({ OTEL_TRACES_EXPORTER: "otlp, console" }, haftHere);
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain("OTEL_TRACES_EXPORTER is console");
});
