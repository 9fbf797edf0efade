import { fc } from "@fast-check/vitest";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { analyzeCommand, rebuildCommand } from "../../src/index.ts";
import { SHELLS } from "../machine.ts";
import { createDiskContext } from "./disk-context.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-as-bash-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const cwd = join(base, "work");
const HOME = join(base, "home");
const FILES =
  "a.txt b.txt c d.TXT -rf -x.txt .hidden .h2 [ab] * $x 1 2 10 sp\u0020ace quo'te ba\\ck sub/a.txt sub/deep/z.txt sub/-n other/b.txt ~ {a,b} " +
  "tilde~ semi;colon new\nline \u0023hash =eq";
for (const name of [...FILES.split(" "), "with space", 'dou"ble', "é"]) {
  mkdirSync(join(cwd, name, ".."), { recursive: true });
  writeFileSync(join(cwd, name), "");
}
mkdirSync(HOME);
writeFileSync(join(base, "script.sh"), "");
symlinkSync("sub", join(cwd, "link"));
symlinkSync("gone", join(cwd, "dangling"));

const pieces = [
  ..."a b c x.txt 'b c' '' \"\" \"d e\" \\* \\  - -- . .. * ? ?? *.txt *.TXT s*/ */ sub/* */*.txt sub/d*/z* [ab]* [!a]* [0-9]* [a-c].txt .h* ** [ ] a[ {a,b} {1..3} {c..a} x{,y} {a,{b,c}} {} {a} a,b".split(
    " ",
  ),
  ...'~ ~/x ~a a~ $HOME "$HOME" ${HOME}/y $PWD $X "$X" ${X}z $USER "a $USER" link/* l* d* n* =* -* --o=* #h \\# a#b \'new\'* "*" \'*\'*'.split(
    " ",
  ),
  '"$(say p  q)"',
  "$(say p q)",
  '"x $(say p; say q) y"',
  "$(say 'a  b' \"$X\")",
  "a\\\nb",
  "\\\n",
  '"a\\\nb"',
  "'new\nline'",
  "w*\\ s*",
  "*t*x*t",
  "*a*b*c*d*e*f*g*",
  "'$(x)'",
];
const word = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }).map((all) => all.join(""));
const words = fc.array(word, { maxLength: 4 }).map((all) => all.join(" "));
const simple = fc.oneof(
  { weight: 6, arbitrary: words.map((all) => `show ${all}`) },
  // The one that may get any words.
  {
    weight: 3,
    arbitrary: words.map((all) => `touch ${all} "$(say ${all.replaceAll(/[~"]|<<|\$X/g, "")})" $(say x)`),
  },
  { weight: 1, arbitrary: words.map((all) => `NODE_ENV=t LANG=C show ${all}`) },
  { weight: 1, arbitrary: words.map((all) => `slurp ${all} <<'E'\n$x \`y\` \\z\n\nE`) },
  { weight: 1, arbitrary: words.map((all) => `slurp ${all} <<-E\n\ttext ' "\n\tE`) },
  { weight: 1, arbitrary: word.map((one) => `X=${one}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("cd sub", "cd link", "cd ..", "cd gone", "true", "false", "cd sub/deep"),
  },
);
/** Not of those with here-documents: these end lines. */
const joined = fc
  .array(fc.tuple(simple, fc.constantFrom(" && ", "; ", "\n", " || ", " | ")), { minLength: 1, maxLength: 3 })
  .map((all) =>
    all.reduce(
      (text, [one, join], at) => text + (at === 0 ? "" : text.includes("<<") ? "\n" : join) + one,
      "",
    ),
  );
const line = fc.oneof(
  { weight: 5, arbitrary: simple },
  { weight: 3, arbitrary: joined },
  { weight: 1, arbitrary: joined.map((one) => `(${one}\n); show *`) },
  { weight: 1, arbitrary: joined.map((one) => `{ ${one}\n}; show "$X"`) },
  { weight: 1, arbitrary: joined.map((one) => `! { ${one}\n} | say`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(word, word, fc.constantFrom('"$f"', "$f", "a$f*", "${f}"))
      .map(([a, b, use]) => `for f in ${a} ${b}; do show ${use} "$X"; done && show after`),
  },
);

/** Programs of one shell that write down their words, under their names and under the paths they are found at. */
const PROGRAMS = ["show", "/bin/show", "touch", "/bin/touch", "slurp", "/bin/slurp", "say", "/bin/say"]
  .map((name) =>
    name.endsWith("show") || name.endsWith("touch")
      ? `${name}() { printf '%s\\0' show "\${@//$'\\n'/<line end>}" $'\\1' >&3; }`
      : name.endsWith("say")
        ? `${name}() { printf '%s ' "$@"; }`
        : `${name}() { local t; IFS= read -r -d '' t; show "$@" "$t"; }`,
  )
  .join("\n");

/** What each line, alone in the folder, gave its programs; and how it ended. */
function runAll(bash: string, lines: readonly string[]): string[] {
  const script = lines.map(
    (text) => `( cd "$START"; eval ${quote(text)} ) </dev/null >/dev/null; printf '\\2%s\\2\\0' $? >&3\n`,
  );
  const { stdout, error } = spawnSync(
    "/bin/sh",
    ["-c", 'exec "$0" "$1" 3>&1 2>/dev/null', bash, writeScript(script.join(""))],
    {
      cwd,
      env: { PATH: "/usr/bin:/bin", HOME, USER: "ada", START: cwd, LC_ALL: "C" },
      maxBuffer: 1 << 28,
      timeout: 300_000,
    },
  );
  if (error) throw error;
  return stdout.toString("utf8").split("\u0002\0").slice(0, -1);
}

function writeScript(body: string): string {
  const path = join(base, "script.sh");
  writeFileSync(path, `${PROGRAMS}\n${body}`);
  return path;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const bash = SHELLS.find((path) => path.endsWith("bash"));

test.runIf(bash !== undefined)("expansions give each program the same words as bash", async () => {
  const seed = Number(process.env["HAFT_SEED"] ?? Math.floor(Math.random() * 1e9));
  const texts = fc.sample(line, { numRuns: scaleRuns(2400, 4), seed });
  const machine = createDiskContext({ HOME, USER: "ada" });
  const clear: { text: string; rebuilt: string }[] = [];
  for (const text of new Set(texts)) {
    const outline = await analyzeCommand(text, { cwd, shell: "bash", context: machine });
    if (outline.unclear !== undefined) continue;
    const rebuilt = rebuildCommand(outline, (program) =>
      program.startsWith("/") ? program : `/bin/${program}`,
    );
    clear.push({ text, rebuilt: "script" in rebuilt ? rebuilt.script : rebuilt.argv.map(quote).join(" ") });
  }
  expect(clear.length).toBeGreaterThan(texts.length / 8);
  const given = runAll(
    bash ?? "",
    clear.map(({ text }) => text),
  );
  const ours = runAll(
    bash ?? "",
    clear.map(({ rebuilt }) => rebuilt),
  );
  expect(given.length).toBe(clear.length);
  for (const [at, one] of clear.entries()) {
    // A file that looks like an option is given as a file; and what runs at once has no order.
    const plain = (text = "") =>
      text
        .replaceAll(/([\0 ])\.\/-/g, "$1-")
        .split("\u0001\0")
        .toSorted();
    expect({ seed, ...one, given: plain(ours[at]) }).toEqual({ seed, ...one, given: plain(given[at]) });
  }
});
