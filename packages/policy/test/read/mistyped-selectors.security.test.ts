import type { CallSubjects } from "@haft/core";
import { expect, test } from "vitest";
import { pickShare } from "../../../../test/support/share.ts";
import { paths, policy, getProblems, reach, running, session, tools } from "../fixtures.ts";

// Single slips in the words of a selector are errors, or hold back at least as much: every fifth, another one each time;
// all 65,000 in `npm run soak -- policy-slips`.

const characters = [
  "z",
  "s",
  "Q",
  "7",
  "-",
  "_",
  ".",
  " ",
  ":",
  ";",
  ",",
  "=",
  "/",
  "|",
  "(",
  ")",
  "[",
  "'",
  '"',
  "\\",
  "\u00a0",
];

/** Words and, in angle brackets, patterns: those may be any, so there are no slips in them. */
const selectors = [
  "read",
  "exec",
  "send_message",
  "secret_scan",
  "haft-fs/write",
  "rogue/write",
  "haft-fs",
  "chat",
  "group:fs",
  "group:plugins",
  "effect:write",
  "process:kill",
  "group:runtime:kill",
  "exec(<git *>)",
  "exec(command:<git push*>)",
  "<*>(path:<src/**>)",
  "<*>(host:<example.org>)",
  "read(path:<**/.env>)",
  "effect:write(path:<docs/**>)",
  "group:fs(path:<{src,docs}/*>)",
  "web/fetch(host:<*.example.com>)",
  "math/add(arg:x=<1*>)",
  "chat(arg:to.name=<ada>)",
  "edit(path:<src/**>, arg:replaceAll=<true>)",
];

const calls: readonly (readonly [args: unknown, subjects: CallSubjects | undefined])[] = [
  [{}, undefined],
  [{ x: "12", action: "kill", to: { name: "ada" }, replaceAll: true }, undefined],
  [
    { x: "12", to: { name: "ada" }, replaceAll: true },
    { action: "kill", ...paths("write", "src/a") },
  ],
  [{}, paths("write", "docs/b")],
  [{ replaceAll: true }, paths("read", "a/.env")],
  [{}, { hosts: ["example.org"] }],
  [{}, { hosts: ["a.example.com"] }],
  [{}, running("git push x")],
  [{}, running("rm x")],
];

test.each(
  ["deny", "ask", "allow", "grant"].flatMap((list) => selectors.map((selector) => [list, selector] as const)),
)("rejects or narrows %s: %s", (list, marked) => {
  const right = { [list]: [marked.replaceAll(/[<>]/g, "")] };
  const kind = list === "grant" ? "group" : "main";
  // A few cannot be granted at all.
  if (getProblems(() => policy(right)).length > 0) {
    expect(list).toBe("grant");
    return;
  }
  const before = effects(policy(right).forSession(session(kind)));
  for (const wrong of pickShare([...slipsOf(marked)], 5)) {
    const mistaken = { [list]: [wrong] };
    // The name of another tool, which coding agents have.
    if (wrong.startsWith("web_fetch")) continue;
    if (getProblems(() => policy(mistaken)).length > 0) continue;
    const after = effects(policy(mistaken).forSession(session(kind)));
    const looser = after.filter((effect, at) => reach[effect] > reach[before[at]!]);
    expect([wrong, looser]).toEqual([wrong, []]);
  }
});

function effects(made: ReturnType<ReturnType<typeof policy>["forSession"]>) {
  return tools.flatMap((tool) => calls.map(([args, subjects]) => made.call(tool, args, subjects).effect));
}

/** One character added, left out, taken for another, or swapped with the next. */
function* slipsOf(marked: string): Generator<string> {
  const parts = marked.split(/[<>]/);
  for (const [which, word] of parts.entries()) {
    if (which % 2 === 1) continue;
    const around = (changed: string) => parts.with(which, changed).join("");
    // At its edges an added character would be one of the pattern.
    const first = which === 0 ? 0 : 1;
    const last = which === parts.length - 1 ? word.length : word.length - 1;
    for (let at = 0; at <= word.length; at++) {
      const [front, here, rest] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)];
      for (const character of at >= first && at <= last ? characters : [])
        yield around(front + character + here + rest);
      if (here === "") continue;
      for (const character of characters) yield around(front + character + rest);
      yield around(front + rest);
      if (rest !== "") yield around(front + rest[0]! + here + rest.slice(1));
    }
  }
}
