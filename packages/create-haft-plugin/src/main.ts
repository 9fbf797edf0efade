#!/usr/bin/env node
/** Node runs TypeScript from this version on. */
const OLDEST = [22, 18] as const;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `create-haft-plugin: Node ${process.versions.node} is too old. Plugins need Node ${OLDEST.join(".")} or newer.`,
  );
  process.exitCode = 1;
} else await run();

async function run(): Promise<void> {
  const stop = new AbortController();
  // The first signal undoes the work; the second ends the process at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort(new Error(`ended by ${signal}`));
    });
  const { runCreateCommand } = await import("./command-line.ts");
  process.exitCode = await runCreateCommand(process.argv.slice(2), stop.signal);
}
