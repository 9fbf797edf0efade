import { ModuleGuard } from "@haft/config/internal/trust";
import { getErrorMessage } from "@haft/core";
import { type CheckResult, testPlugin } from "@haft/plugin-sdk/testing";
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { describePlugin } from "../describe/describe-plugin.ts";
import { explainLoadError } from "../load/explain-load-error.ts";
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
const reported = new Set<string>();

process.on("exit", (code) => say({ exit: code }));
process.on("uncaughtException", background);
process.on("unhandledRejection", background);
process.stdout.write = (chunk: unknown) => {
  if (printed.length < MAX_SHOWN && calling !== undefined) printed += String(chunk);
  return true;
};

for (const record of order.guards ?? []) new ModuleGuard(record).guard(order.file);
const loaded = await load();
if (loaded !== undefined && order.samples === undefined) await checkAll(loaded);
else if (loaded !== undefined) await checkInSandbox(loaded, order.samples!);
process.kill(process.pid, "SIGKILL");

async function load(): Promise<Parameters<typeof testPlugin>[0] | undefined> {
  try {
    const { module } = await importPlugin(order.file, order.loader);
    const read = await describePlugin(module, order.name);
    if ("plugin" in read) return read.plugin;
    report({ check: "load", status: "problem", code: read.code, message: read.message, fix: read.fix });
  } catch (thrown) {
    const { message, fix, code } = explainLoadError(order.name, thrown);
    report(explainRefusal(thrown) ?? { check: "load", status: "problem", code, message, fix });
  }
  return undefined;
}

/** Node's advice names options of the checking process, which the author cannot set. */
function explainRefusal(thrown: unknown): CheckResult | undefined {
  const { code, permission, resource } = (thrown ?? {}) as Partial<
    Record<"code" | "permission" | "resource", unknown>
  >;
  if (code !== "ERR_ACCESS_DENIED") return undefined;
  const what = permission === "ChildProcess" ? "starts a program" : `writes ${JSON.stringify(resource)}`;
  const when = calling === undefined ? "while it is loaded" : `after ${calling}`;
  return {
    check: calling === undefined ? "load" : "workspace",
    status: "problem",
    message: `It ${what} ${when}, around its workspace, which the check prevents.`,
    fix: "A module only defines tools. Start programs and write files in a call, through context.workspace.",
  };
}

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

/** Reports each failure once, with the first call before it. */
function background(thrown: unknown): void {
  const why = getErrorMessage(thrown).split("\n")[0]!.replace(/\.$/, "");
  if (reported.has(why)) return;
  reported.add(why);
  const after = calling === undefined ? "" : `, after ${calling}`;
  report(
    explainRefusal(thrown) ?? {
      check: "leaks",
      status: "problem",
      message: `Work in the background failed${after}: ${why}. Such an error ends most hosts.`,
      fix: "Await every promise, and handle the errors of background work.",
    },
  );
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
