import type { PolicyConfig } from "@haft/policy";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMPOUND_LINES, EVERYDAY_LINES } from "./everyday-lines.ts";
import { everydaySite, type LineVerdict } from "./everyday-site.ts";

/** Ten common rules. None of the lines breaks one. */
const RULES: PolicyConfig = {
  deny: [
    "read(path:.env)",
    "read(path:**/*.pem)",
    "read(path:/root/.ssh/**)",
    "write(path:.git/**)",
    "exec(git push *)",
    "exec(npm publish *)",
    "exec(sudo *)",
    "exec(ssh *)",
    "exec(docker push *)",
    "exec(shutdown *)",
  ],
};

/** Lines that need approval, with the reason. */
const REASONS: Readonly<Record<string, string>> = {
  "git submodule status": "git submodule status can start other programs",
  'node -e "console.log(1 + 1)"': "node with -e can run any code",
  "python3 -c 'print(1)'": "python with -c can run any code",
  "npx tsc --noEmit": "npx fetches and runs a package that its arguments name",
  "[[ -f package.json ]] && echo yes": "[[ ]]",
  "[[ $USER == ada ]] || echo no": "[[ ]]",
  "bash -lc 'npm test'": "bash with -lc can run any code",
  "diff <(sort a.txt) <(sort b.txt)": "<( )",
  'cat list.txt | while read -r f; do wc -l "$f"; done': "it uses read",
  'while read -r line; do echo "$line"; done < a.txt': "redirects several commands",
  "x=$(git rev-parse HEAD); echo $x": "$( )",
  "N=3; for i in $(seq 1 $N); do echo $i; done": "a loop (for) over what $( ) writes",
  "case $USER in ada) echo me;; *) echo other;; esac": "it uses case",
  "make CC=gcc test": "variables of make can be any code",
  "nohup npm start > server.log 2>&1 &": "nohup writes a file",
  "{ date; npm test; } > test.log 2>&1": "redirects several commands",
  "mkdir -p tmp && cp *.txt tmp/": "mkdir, which may change the matching files",
  "trap 'rm -f tmp' EXIT; touch tmp": "it uses trap",
  "source .venv/bin/activate && python3 -m pytest": "it uses source",
};

let site: Awaited<ReturnType<typeof everydaySite>>;
const verdicts: LineVerdict[] = [];

beforeAll(async () => {
  site = await everydaySite(RULES);
  for (const line of [...EVERYDAY_LINES, ...COMPOUND_LINES]) verdicts.push(await site.judge(line));
});
afterAll(() => site.close());

test("of 131 lines, only those with a listed reason need approval under ten rules", () => {
  expect(new Set(verdicts.map(({ line }) => line)).size).toBe(131);
  const asked = verdicts.filter(({ runs }) => !runs);
  expect(Object.fromEntries(asked.map(({ line, why }) => [line, why]))).toEqual(
    Object.fromEntries(Object.entries(REASONS).map(([line, why]) => [line, expect.stringContaining(why)])),
  );
});
