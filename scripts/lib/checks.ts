let failures = 0;

/** Runs a check, and prints one line; an error is a failure. */
export async function check<T>(title: string, body: () => T | Promise<T>): Promise<T | undefined> {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    const result = await body();
    console.log(`  ok    ${title} (${seconds()})`);
    return result;
  } catch (error) {
    failures += 1;
    const message = error instanceof Error ? error.message : String(error);
    console.log(`  FAIL  ${title} (${seconds()})\n${message.replaceAll(/^/gm, "        ")}`);
    return undefined;
  }
}

/** Like {@link check}, but ends the process on failure. */
export async function need<T>(title: string, body: () => T | Promise<T>): Promise<T> {
  const before = failures;
  const result = await check(title, body);
  if (failures > before) return exit(1);
  return result as T;
}

/** Throws with one line per finding. */
export function expectNone(findings: readonly string[]): void {
  if (findings.length > 0) throw new Error(findings.join("\n"));
}

/** Ends the process with 1 if a check failed. */
export function finish(): Promise<never> {
  if (failures > 0) console.log(`\n${failures} ${failures === 1 ? "check" : "checks"} failed.`);
  return exit(failures > 0 ? 1 : 0);
}

/** Waits for output: a pipe takes 64 KiB at a time. */
function exit(code: number): Promise<never> {
  return new Promise(() => process.stdout.write("", () => process.exit(code)));
}
