#!/usr/bin/env node
/** Node runs the TypeScript of what is made from here on. */
const OLDEST = [22, 18] as const;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `create-haft-plugin: Node ${process.versions.node} is too old for plugins; ${OLDEST.join(".")} or newer is needed.`,
  );
  process.exitCode = 1;
} else await run();

async function run(): Promise<void> {
  const stop = new AbortController();
  // What was begun is undone before the process ends; a second one ends it at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort(new Error(`ended by ${signal}`));
    });
  const { runCreateCommand } = await import("./command-line.ts");
  process.exitCode = await runCreateCommand(process.argv.slice(2), stop.signal);
}
