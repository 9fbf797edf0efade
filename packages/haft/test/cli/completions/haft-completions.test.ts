import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { haftCommand } from "../../../../../test/support/build-under-test.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";

const has = (program: string): boolean => {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Asks a shell, in one start of it, what it completes behind each line; `|` is where the words are parted. */
type Ask = (script: string, lines: readonly string[], at: { cwd: string; PATH: string }) => string[][];

const parted = (output: string): string[][] =>
  output
    .split("====\n")
    .slice(0, -1)
    .map((part) =>
      part
        .split("\n")
        .filter(Boolean)
        .map((word) => word.trim().replace(/\/$/, ""))
        .toSorted(),
    );

/** As bash does: its words, with what parts them, then the function that was registered for haft. */
const askBash: Ask = (script, lines, { cwd, PATH }) => {
  const program = `source "$1"; shift
for line; do
  IFS='|' read -ra COMP_WORDS <<<"$line"; [[ $line == *'|' ]] && COMP_WORDS+=("")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMP_LINE=\${line//|/ }; COMP_POINT=\${#COMP_LINE}
  COMPREPLY=(); $(complete -p haft | sed 's/.*-F \\([^ ]*\\).*/\\1/')
  printf '%s\\n' "\${COMPREPLY[@]}"; echo ====
done`.replaceAll("\\$", "$");
  const options = { cwd, encoding: "utf8", env: { ...process.env, PATH } } as const;
  return parted(execFileSync("bash", ["--norc", "-c", program, "bash", script, ...lines], options));
};

const askFish: Ask = (script, lines, { cwd, PATH }) => {
  const program = `source $argv[1]; for line in $argv[2..]; complete -C (string replace -a '|' ' ' $line) | string replace -r '\\t.*' ''; echo ====; end`;
  const options = { cwd, encoding: "utf8", env: { ...process.env, HOME: cwd, PATH } } as const;
  return parted(execFileSync("fish", ["--no-config", "-c", program, script, ...lines], options));
};

/** What each line is completed with. */
const lines: Readonly<Record<string, unknown>> = {
  "haft|": expect.arrayContaining(["config", "help", "run", "tools"]),
  "haft|pol": ["policy"],
  "haft|policy|": ["check", "import", "schema", "test"],
  "haft|policy|check|--": [
    "--admin-policy",
    "--config",
    "--guard",
    "--help",
    "--json",
    "--no-config",
    "--plugin",
  ],
  "haft|policy|check|rul": ["rules of mine.yaml"],
  "haft|tools|--session|": ["group", "main", "sandboxed"],
  "haft|tools|-s|gr": ["group"],
  "haft|tools|--sandbox-a": ["--sandbox-access"],
  "haft|tools|call|": expect.arrayContaining(["apply_patch", "exec", "read"]),
  "haft|tools|call|--workspace|fol": ["folder"],
  "haft|tools|call|--approvals|": ["ask", "deny", "wait"],
  "haft|tools|call|--session|main|wri": ["write"],
  "haft|run|--approvals|p": ["pending"],
  "haft|approvals|an": ["answer"],
  "haft|--completions|": ["bash", "fish", "zsh"],
  "haft|help|sandbox|": ["doctor", "explain", "list", "prune", "restore"],
};

/** Those that a shell is asked, too: words, options, and names of files and folders. */
const TYPED = [
  "haft|pol",
  "haft|policy|check|--",
  "haft|policy|check|rul",
  "haft|tools|-s|gr",
  "haft|tools|call|--workspace|fol",
];

// Names of files are for the shell to know.
test.each(Object.entries(lines).filter(([line]) => !/rul$|fol$/.test(line)))("%s", async (line, wanted) => {
  const cwd = await temporaryFolder();
  const { stdout } = await haftHere(["--complete", ...line.split("|").slice(1)], { cwd });
  const found = stdout.split("\n").flatMap((each) => each.split("\t")[0] || []);
  expect(found.toSorted()).toEqual(wanted);
});

test.each([
  // bash parts words at the sign.
  ["bash", askBash, true, { "haft|tools|--session|=|ma": ["main"] }],
  ["fish", askFish, has("fish"), { "haft|tools|--session=ma": ["--session=main"] }],
] as const)(
  "completes commands, actions, options, values and names in %s",
  async (shell, ask, isThere, more) => {
    // CI has bash; the others are tried where they are.
    if (!isThere) return;
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "rules of mine.yaml"), "");
    await mkdir(join(cwd, "folder"));
    const script = join(await temporaryFolder(), "script");
    await writeFile(script, (await haftHere(["--completions", shell], { cwd })).stdout);
    // What the script asks.
    const bin = await temporaryFolder();
    const start = haftCommand.map((word) => `'${word}'`).join(" ");
    await writeFile(join(bin, "haft"), `#!/bin/sh\nexec ${start} "$@"\n`, { mode: 0o755 });
    const wanted = { ...Object.fromEntries(TYPED.map((line) => [line, lines[line]])), ...more };
    const found = ask(script, Object.keys(wanted), { cwd, PATH: `${bin}:${process.env["PATH"]}` });
    expect(Object.fromEntries(Object.keys(wanted).map((line, index) => [line, found[index]]))).toEqual(
      wanted,
    );
  },
);
