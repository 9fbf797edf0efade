import { ModuleGuard } from "@haft/config/internal/trust";
import { getErrorMessage } from "@haft/core";
import { type CheckResult, testPlugin } from "@haft/plugin-sdk/testing";
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { describePlugin } from "../describe/describe-plugin.ts";
import { importPlugin } from "../load/import-plugin.ts";
import { readPackageJson } from "../packages/read-dependency.ts";
import type { CheckLine, CheckOrder } from "./check-lines.ts";
import { checkedPackageFolder } from "./package-checks.ts";

/** A plugin may print to standard output. */
const ANSWERS = 3;
const MAX_SHOWN = 200;

// Separate program: the tools of a tried plugin affect only this process.
const order = JSON.parse(readFileSync(0, "utf8")) as CheckOrder;
let printed = "";
let calling: string | undefined;

process.on("exit", (code) => say({ exit: code }));
process.on("uncaughtException", background);
process.on("unhandledRejection", background);
process.stdout.write = (chunk: unknown) => {
  if (printed.length < MAX_SHOWN && calling !== undefined) printed += String(chunk);
  return true;
};

for (const record of order.guards ?? []) new ModuleGuard(record).guard(order.file);
const { module } = await importPlugin(order.file, order.loader);
const read = await describePlugin(module, order.name);
if (!("plugin" in read)) throw new Error(read.message);
if (order.samples === undefined) await checkAll(read.plugin);
else await checkInSandbox(read.plugin, order.samples);
process.kill(process.pid, "SIGKILL");

async function checkAll(plugin: Parameters<typeof testPlugin>[0]): Promise<void> {
  report(whetherRequired());
  const { seed, samples } = await testPlugin(plugin, {
    ...(order.seed !== undefined && { seed: order.seed }),
    ...(order.runs !== undefined && { runs: order.runs }),
    sandbox: false,
    onCheck: report,
    onCall,
  });
  report(
    printed === ""
      ? { check: "prints", status: "ok", message: "Its tools print nothing." }
      : {
          check: "prints",
          status: "warning",
          message: `Its tools print to standard output, where programs read answers: ${JSON.stringify(printed.trim().slice(0, 60))}.`,
          fix: "Use context.logger.",
        },
  );
  say({ done: { seed, samples } });
}

async function checkInSandbox(
  plugin: Parameters<typeof testPlugin>[0],
  samples: NonNullable<CheckOrder["samples"]>,
): Promise<void> {
  const { seed } = await testPlugin(plugin, {
    samples,
    onCall,
    onCheck: (result) => {
      if (result.check === "sandbox") report(result);
    },
  });
  say({ done: { seed, samples } });
}

/** CommonJS programs can also use it; otherwise they get advice. */
function whetherRequired(): CheckResult {
  const folder = checkedPackageFolder(order.file);
  const { name, exports } = (folder && readPackageJson(folder)) || {};
  const asked = typeof name === "string" && exports !== undefined ? name : order.file;
  try {
    createRequire(order.file)(asked);
    return { check: "require", status: "ok", message: "Programs of CommonJS can require() it." };
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ERR_REQUIRE_ASYNC_MODULE")
      return {
        check: "require",
        status: "warning",
        message: "require() of it fails, since a module of it awaits something at its top.",
        fix: "Await in setup, in a factory or in a call. A module of a plugin should only define tools.",
      };
    if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED")
      return {
        check: "require",
        status: "warning",
        message: "require() of it fails, since its exports are for import alone.",
        fix: 'Say "default" instead of "import" in the exports of package.json.',
      };
    return {
      check: "require",
      status: "warning",
      message: `require() of it fails: ${getErrorMessage(thrown).split("\n")[0]}`,
      fix: "Correct main and exports of package.json.",
    };
  }
}

function background(thrown: unknown): void {
  report({
    check: "leaks",
    status: "problem",
    message: `Something that was left to itself failed${calling === undefined ? "" : `, after ${calling}`}: ${getErrorMessage(thrown).split("\n")[0]}. Most hosts end of that.`,
    fix: "Await every promise, and handle the errors of background work.",
  });
}

function onCall(tool: string, args: unknown): void {
  const text = JSON.stringify(args) ?? "";
  calling = `${tool}(${text.slice(0, MAX_SHOWN)})`;
  say({ calls: tool, arguments: text.slice(0, MAX_SHOWN) });
}

function report(check: CheckResult): void {
  say({ check });
}

function say(line: CheckLine): void {
  writeSync(ANSWERS, `${JSON.stringify(line)}\n`);
}
