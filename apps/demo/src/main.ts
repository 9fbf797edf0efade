import { HaftError, getErrorMessage } from "@haft/core";
import { createScreen, darkScreen } from "./screen.ts";
import { help, readOptions, UsageError } from "./usage.ts";

/** Standard output is for the demo, not for models' setting warnings. */
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

async function main(args: string[], signal: AbortSignal): Promise<number> {
  const options = readOptions(args);
  if (options.help) {
    console.log(help);
    return 0;
  }
  // --help and wrong options need not wait for the AI SDK.
  const [{ openModel }, { runDemo }] = await Promise.all([import("./model.ts"), import("./demo.ts")]);
  if (!options.color) process.env["NO_COLOR"] = "1";
  const { stdout, env } = process;
  const screen = options.json ? darkScreen : createScreen((content) => stdout.write(content), stdout.columns);
  await using model = await openModel(options.mode, env);
  const report = await runDemo({ ...options, model, screen, signal });
  if (options.json) console.log(JSON.stringify(report));
  return report.ok ? 0 : 1;
}

const stop = new AbortController();
/** Exit code after a signal. */
let stoppedBy = 1;
for (const [name, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const])
  // A second signal gets the default action.
  process.once(name, () => {
    stoppedBy = code;
    stop.abort(new Error("stopped."));
  });
// A closed reader (`| head`) is not a failure.
process.stdout.on("error", () => stop.abort(new Error("nobody reads the output.")));

try {
  process.exitCode = await main(process.argv.slice(2), stop.signal);
} catch (thrown) {
  if (stop.signal.aborted) {
    console.error("\nStopped.");
    process.exitCode = stoppedBy;
  } else if (thrown instanceof UsageError) {
    console.error(`demo: ${thrown.message}\nSee npm run demo -- --help.`);
    process.exitCode = 2;
  } else {
    const fix = HaftError.is(thrown) && thrown.fix !== undefined ? `\n${thrown.fix}` : "";
    console.error(`demo: ${getErrorMessage(thrown)}${fix}`);
    process.exitCode = 1;
  }
}
