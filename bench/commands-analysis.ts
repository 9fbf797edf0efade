import { analyzeCommand } from "@haft/commands";

/**
 * Parses first, typical and hostile command lines. Prints each time, and fails above its limit.
 *
 *   node --conditions=@haft/source bench/commands-analysis.ts
 */
const LIMIT_MS = { first: 60, typical: 1, hostile: 500 };
const LENGTH = 128 * 1024 - 16;
const options = { cwd: "/work", shell: "sh" };

const fill = (text: string): string => text.repeat(Math.floor(LENGTH / text.length));

const TYPICAL = [
  "git status",
  "nice -n 5 grep -rn 'some words' src 2>/dev/null | sort | uniq -c | head -n 20",
  "cd packages/core && npm test -- --run 2>&1 | tail -n 50",
];
const LARGE: Record<string, string> = {
  "100 KB of words": `marker ${"'word and more' ".repeat(6700)}`,
  "100 KB in one word": `marker '${"x".repeat(100_000)}'`,
  "10,000 segments": "a b;".repeat(10_000),
};
const HOSTILE: Record<string, string> = {
  "$( $( $( …": fill("$("),
  "` ` ` …": fill("`"),
  '"$( "$( …': fill('"$('),
  "$(( $(( …": fill("$(("),
  "${a:- ${a:- …": fill("${a:-"),
  "a[$( a[$( …": fill("a[$("),
  "( ( ( …": fill("("),
  "{ { { …": fill("{ "),
  "if if if …": fill("if "),
  "[[ ( [[ ( …": fill("[[ ( "),
  "coproc coproc …": fill("coproc "),
  "f(){ f(){ …": fill("f(){ "),
  "<( <( <( …": fill("<("),
  "<<a <<a …": fill("<<a "),
  "{a,{a, …": fill("{a,"),
  "@(@(@( …": fill("@("),
  backslashes: fill("\\"),
  quotes: fill(`'"`),
  "# # # …": fill("a # \n"),
  ">a >a >a …": fill(">a "),
  "nice nice nice …": fill("nice "),
  "env env a=b …": `env ${fill("LANG=C ")}`,
  "a&&a&&a …": fill("a&&").slice(0, -2),
  spaces: `a${" ".repeat(LENGTH)}b`,
  "spaces and an error": `a${" ".repeat(LENGTH)})`,
  "a name of digits": `${"1.".repeat(LENGTH / 2)}x`,
  "a format of zeros": `printf '%${"0".repeat(LENGTH - 20)}!'`,
  "a program of sed": `sed 's/${"\\/".repeat(LENGTH / 4)}'`,
  "a key of sort": `sort -k '${"1".repeat(LENGTH - 20)}x'`,
  "a lock": `flock '${"a/".repeat(LENGTH / 2 - 10)}!' marker`,
  "a setting": `env LANG=${"a".repeat(LENGTH - 20)}! marker`,
  "time time time …": fill("time "),
  "longer than is read": "a ".repeat(1024 ** 2),
};

let failed = false;
const report = (name: string, ms: number, limit: number, note = ""): void => {
  failed ||= ms > limit;
  console.log(`${ms > limit ? "✗" : " "} ${name.padEnd(24)} ${ms.toFixed(3).padStart(9)} ms  ${note}`);
};
const time = async (text: string): Promise<{ ms: number; note: string }> => {
  const began = performance.now();
  const { commands, unclear } = await analyzeCommand(text, options);
  const ms = performance.now() - began;
  return {
    ms,
    note: unclear === undefined ? `clear, ${commands.length} commands` : `unclear: ${unclear.slice(0, 60)}`,
  };
};

const first = await time("git status");
report("first, parser loaded", first.ms, LIMIT_MS.first);
for (const text of TYPICAL) {
  const times: number[] = [];
  for (let round = 0; round < 2000; round++) times.push((await time(text)).ms);
  const median = times.toSorted((a, b) => a - b)[1000] ?? Number.NaN;
  report(text.slice(0, 24), median, LIMIT_MS.typical, "median of 2,000");
}
for (const [name, text] of [...Object.entries(LARGE), ...Object.entries(HOSTILE)]) {
  const { ms, note } = await time(text);
  report(name, ms, LIMIT_MS.hostile, note);
}
process.exitCode = failed ? 1 : 0;
