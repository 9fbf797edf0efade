import type { ContainmentFacts } from "@haft/core";
import { expect, test } from "vitest";
import { createDenialDetector } from "../../src/contained/denial-detector.ts";

const held = [".git/hooks", "sub/.git", "trees/one/.git"].map((name) => `/w/shop/${name}`);
const places = { writable: ["/w/shop"], readOnly: held, hidden: ["/w/shop/.env", "/srv/keys"] };
const covered = () => ["/w/shop/app.sock", "/w/shop/db/.s.PGSQL.5432"];
const met = (
  output: string,
  { command = "run", network = "none", isRefused = false }: Partial<Case> = {},
): string =>
  createDenialDetector(
    { mode: "workspace", network },
    places,
    covered,
  )({ command, output }, isRefused).join("\n");
interface Case {
  command: string;
  network: ContainmentFacts["network"];
  isRefused: boolean;
}

test.each<[string, Partial<Case>, string]>([
  ["curl: (6) Could not resolve host: a.example", {}, "allows no host"],
  ["curl: (6) Could not resolve host: a.example", { network: ["b.example"] }, "allows only listed hosts"],
  ["ssh: Could not resolve hostname a.example: Temporary failure in name resolution", {}, "No ssh"],
  ["Cloning…\nssh: connect to host 192.0.2.1 port 22: Network is unreachable", {}, "outside: true"],
  ["touch: cannot touch '/srv/a': Read-only file system", {}, "can write only in /w/shop and in /tmp"],
  ["mv: cannot move '.git/hooks': Device or resource busy", {}, "/w/shop/.git/hooks cannot be changed"],
  [
    "error: failed to delete '/w/shop/trees/one': Device or resource busy",
    {},
    "/w/shop/trees/one/.git cannot be changed, because programs outside this session run files there, and a folder that contains it cannot be removed or moved",
  ],
  ["Could not remove submodule work tree 'sub'", {}, "/w/shop/sub/.git cannot be changed"],
  [
    "connect EACCES /w/shop/app.sock",
    {},
    "Covered, because programs of this machine listen there: /w/shop/app.sock.",
  ],
  [
    'psql: error: connection to server on socket "db/.s.PGSQL.5432" failed: Permission denied',
    {},
    "/w/shop/db/.s.PGSQL.5432",
  ],
  [
    "curl: (7) Couldn't connect: Connection refused",
    { command: "curl --unix-socket ./app.sock http://x/" },
    "/w/shop/app.sock",
  ],
  ["", { command: "cat .env" }, "Hidden, so commands of this session see nothing there: /w/shop/.env"],
  ["", { command: "node --env-file=./.env a.js" }, "/w/shop/.env"],
  ["", { command: "ls /srv/keys" }, "/srv/keys"],
])("reports %j with %j", (output, more, expected) => {
  expect(met(output, more)).toContain(expected);
});

test.each<[string, Partial<Case>]>([
  // The proxy has named the host, and that is the reason.
  ["getaddrinfo ENOTFOUND a.example", { isRefused: true }],
  ["getaddrinfo ENOTFOUND a.example", { network: "full" }],
  ["", { command: "cat .env.example sub/.env env" }],
  ["app.sock", { command: "ls app.sock" }],
  ["cat: a: Permission denied", { command: "cat a" }],
  [".env\n.git\nall is well", { command: "ls -A" }],
])("does not report %j with %j", (output, more) => {
  expect(met(output, more)).toBe("");
});

test("ssh is not told to ask for a host", () => {
  expect(met("ssh: Could not resolve hostname a.example")).not.toContain("network: [");
});
