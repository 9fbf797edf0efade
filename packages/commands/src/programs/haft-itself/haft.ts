import { interpreter } from "../interpreters.ts";
import { opaque, type LauncherRule } from "../launcher.ts";
import { runner } from "../runners.ts";
import { HAFT } from "./this-is-haft.ts";

/** They look for a program of that name. */
const FINDS = /^(?:yarn|bun|pnpm|npm)$/;
/** What of it starts no tool and no program, by its first words. */
const LOOKS =
  /^(?:(?:explain|help|approvals|config|guard) |tools (?!.*\b(?:call|patch)\b)|nodes (?!.*\b(?:start|accept)\b)|ledger (?:list |show |export |check |forget |$)|policy (?:check|schema) |(?:plugins|mcp|sandbox) (?:list|show|info|why|explain|doctor) |(?:--help|--version|--completions|-h|-v) $)/;
/** They name code that is loaded, or what says which. */
const LOADS = /^--(?:plugin|config)/;

/** Haft runs what its tools are given, which stands in words that nobody takes apart here, or comes as its input. */
export const haft: LauncherRule = (name, args, platform) => {
  let at = -1;
  let other: ReturnType<LauncherRule>;
  if (!HAFT.test(name)) {
    other =
      interpreter(name, args, platform) ?? (FINDS.test(name) ? runner(name, args, platform) : undefined);
    at = other === undefined ? -1 : args.findIndex((word) => !/^-|^run$/.test(word));
    if (!HAFT.test(args[at] ?? "")) return undefined;
  }
  const words = args.slice(at + 1);
  const isLooking = LOOKS.test(`${words.join(" ")} `) && !words.some((word) => LOADS.test(word));
  if (isLooking) return other;
  const { scripts } = other ?? {};
  return { ...opaque("haft runs what its words or its input say"), ...(scripts && { scripts }) };
};
