import { join } from "node:path";
import { escapeGlob } from "../boundary/deny.ts";

interface HookManager {
  name: RegExp;
  files: readonly string[];
}

const DATA = "{yml,yaml,json,jsonc,toml}";
const MODULE = "{js,cjs,mjs,ts,cts,mts}";

const MANAGERS: readonly HookManager[] = [
  {
    name: /lefthook/i,
    files: [
      `{.,}lefthook{,-local}.${DATA}`,
      `.config/lefthook{,-local}.${DATA}`,
      ".lefthook",
      ".lefthook-local",
    ],
  },
  { name: /pre-commit|\bprek\b|hook-impl/, files: [".pre-commit-config.{yaml,yml}", "prek.toml"] },
  {
    // It takes the nearest one to each file.
    name: /lint-staged|nano-staged/,
    files: [
      `**/.{lintstagedrc,nano-staged}{,.${DATA},.${MODULE}}`,
      `**/{lint-staged,nano-staged}.config.${MODULE}`,
    ],
  },
  { name: /commitlint/, files: [`.commitlintrc{,.${DATA},.${MODULE}}`, `commitlint.config.${MODULE}`] },
  { name: /husky/, files: [".husky", `.huskyrc{,.${DATA},.${MODULE}}`, `husky.config.${MODULE}`] },
  { name: /overcommit/, files: [".overcommit.yml", ".git-hooks"] },
  { name: /\bhk\b/, files: ["hk.pkl", "hk.local.pkl"] },
  { name: /captainhook/, files: ["captainhook.json", "captainhook.config.json"] },
  { name: /grumphp/, files: [`grumphp.${DATA}`] },
  { name: /rusty-hook/, files: ["{.,}rusty-hook.toml"] },
];

export function managerFiles(text: string, top: string): string[] {
  return MANAGERS.filter(({ name }) => name.test(text)).flatMap(({ files }) =>
    files.map((file) => join(escapeGlob(top), file)),
  );
}
