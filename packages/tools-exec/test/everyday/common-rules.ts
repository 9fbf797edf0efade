import { EVERYDAY_LINES } from "./everyday-lines.ts";

/** Ten rules as operators write them. None of the lines does what they name. */
export const COMMON_RULES = {
  deny: [
    "exec(rm -rf /*)",
    "exec(sudo *)",
    "exec(git push --force *)",
    "exec(git reset --hard *)",
    "exec(chmod 777 *)",
    "exec(npm publish *)",
    "exec(kubectl delete *)",
    "exec(terraform destroy *)",
    "exec(docker system prune *)",
  ],
  ask: ["exec(git push *)"],
};

/** Further lines of coding agents, with forms of the shell that several commands need. */
export const COMPOUND_LINES: readonly string[] = [
  "cd src && npm ci && npm test",
  "if [ -f package-lock.json ]; then npm ci; else npm install; fi",
  'for f in src/*.ts; do node --check "$f" || exit 1; done',
  "until curl -sf http://localhost:3000/health; do sleep 1; done",
  "npm run dev & sleep 3; curl -s localhost:3000",
  "export NODE_ENV=test && npm test",
  "sh -c 'npm test'",
  "bash -c 'npm run build && npm test'",
  "PORT=4000 npm start",
  'npm test; echo "exit code: $?"',
  'n=$(ls | wc -l); echo "$n files"',
  "echo $((2 + 3))",
  "set -e; npm run lint; npm test",
  "npm test > test.log 2>&1 || tail -50 test.log",
  "timeout 60 npm test",
  "git stash && npm test; git stash pop",
  "git diff --name-only | xargs wc -l",
  'while read -r f; do wc -l "$f"; done < files.txt',
  'ls | while read -r f; do echo "$f"; done',
  "A=1 make",
  "make CC=gcc test",
  "mkdir -p tmp && cd tmp && touch a",
  'test -n "$CI" && echo ci',
  "command -v node",
  "diff <(sort a.txt) <(sort b.txt)",
  "[[ -f package.json ]] && echo yes",
  "(cd src && npm test) && echo done",
  "python3 server.py > server.log 2>&1 &",
  "true && { echo a; echo b; }",
];

export const ALL_LINES: readonly string[] = [...EVERYDAY_LINES, ...COMPOUND_LINES];
