import { fc } from "@fast-check/vitest";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { type KeptExample, fileInRepository, keptExamplesOf } from "./kept-examples.ts";

// Loaded before every test file. A property that fails says how to run it again and how to keep the example it failed on;
// the kept ones are tried first every time. `HAFT_SEED` is the seed of all properties.

const INSTALLED = Symbol.for("haft.test.kept-examples");
const shared = globalThis as { [INSTALLED]?: { test: string; properties: number } };

if (shared[INSTALLED] === undefined) {
  const latest = (shared[INSTALLED] = { test: "", properties: 0 });
  const seed = process.env["HAFT_SEED"];
  if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
  fc.installGlobalPlugin(() => {
    const { testPath = "", currentTestName = "" } = expect.getState();
    const file = fileInRepository(testPath);
    const title = currentTestName.replace(/ \(with seed=-?\d+\)$/, "");
    const test = `${file} > ${title}`;
    latest.properties = latest.test === test ? latest.properties + 1 : 1;
    latest.test = test;
    // The second property of one test has a name of its own.
    const name = latest.properties === 1 ? title : `${title} #${latest.properties}`;
    return keeping(file, name);
  });
}

function keeping(file: string, name: string): ReturnType<fc.Plugin<unknown>> {
  const kept = keptExamplesOf(file, name);
  return {
    decorateGenerate: (generate) => (random, run) => {
      const example = run === undefined ? undefined : kept[run];
      if (example === undefined) return generate(random, run);
      if ("values" in example) return new fc.Value<unknown>(example.values, undefined);
      return generate(randomOf(example.seed, example.run), example.run);
    },
    onAllRunsComplete: (details) => {
      if (!details.failed || details.counterexample === null) return;
      throw new Error(`${fc.defaultReportMessage(details)}\n\n${howToKeep(details, file, name)}`, {
        cause: details.errorInstance,
      });
    },
  };
}

function howToKeep(details: fc.RunDetails<unknown>, file: string, name: string): string {
  const { counterexample, seed, counterexamplePath } = details;
  const text = JSON.stringify(counterexample);
  const example: KeptExample = isDeepStrictEqual(JSON.parse(text), counterexample)
    ? { values: counterexample as unknown[], why: "…" }
    : { seed, run: Number.parseInt(counterexamplePath ?? "0", 10), why: "…" };
  return [
    `Again: HAFT_SEED=${seed} npm test -- ${file}`,
    `Keep it in test/support/kept-examples.json, under the file and ${JSON.stringify(name)}:`,
    // Visible, whatever it holds.
    JSON.stringify(example).replaceAll(
      /[^ -~]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  ].join("\n");
}

/** The numbers that fast-check makes the values of one run from. */
function randomOf(seed: number, run: number): fc.Random {
  return fc.sample(new RandomNumbers(), { seed, numRuns: run + 1 })[run]!;
}

class RandomNumbers extends fc.Arbitrary<fc.Random> {
  override generate(random: fc.Random): fc.Value<fc.Random> {
    return new fc.Value(random.clone(), undefined);
  }
  override canShrinkWithoutContext(_value: unknown): _value is fc.Random {
    return false;
  }
  override shrink(): fc.Stream<fc.Value<fc.Random>> {
    return fc.Stream.nil();
  }
}
