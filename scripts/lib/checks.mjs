let failures = 0;

/**
 * Runs one check and prints one line for it; what it throws is printed and remembered.
 * @template T
 * @param {string} title
 * @param {() => T | Promise<T>} body
 * @returns {Promise<T | undefined>} `undefined` when it failed.
 */
export async function check(title, body) {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    const result = await body();
    console.log(`  ok    ${title} (${seconds()})`);
    return result;
  } catch (error) {
    failures += 1;
    console.log(`  FAIL  ${title} (${seconds()})\n${indent(error.message ?? String(error))}`);
    return undefined;
  }
}

/** Like {@link check}, for what the rest cannot do without: ends the process when it failed. */
export async function need(title, body) {
  const before = failures;
  const result = await check(title, body);
  if (failures > before) process.exit(1);
  return result;
}

/** Fails with a list, one line for each finding; passes when there is none. */
export function expectNone(findings) {
  if (findings.length > 0) throw new Error(findings.join("\n"));
}

/** Ends the process: 1 when any check failed. */
export function finish() {
  if (failures > 0) console.log(`\n${failures} ${failures === 1 ? "check" : "checks"} failed.`);
  process.exit(failures > 0 ? 1 : 0);
}

function indent(message) {
  return message.replaceAll(/^/gm, "        ");
}
