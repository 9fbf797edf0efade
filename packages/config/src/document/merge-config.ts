import { withoutUndefined } from "@haft/utils";
import { mergeSettings, type SandboxSettings } from "../settings/sandbox-settings.ts";
import type { Configuration } from "./find-configuration.ts";
import type { ReadConfig } from "./read-config.ts";

/**
 * Merges trusted configurations without rules, by root and by each setting of sandbox and model: the operator's file first, then trusted
 * files, the nearest first. Plugins and hosts accumulate.
 */
export function mergeConfig({
  trusted,
  layers,
}: Pick<Configuration, "trusted" | "layers">): Omit<ReadConfig["config"], "policy"> {
  const nearest = [...(trusted ? [trusted] : []), ...layers].map(({ config }) => config);
  const outermost = nearest.toReversed();
  const some = (key: "roots" | "model") =>
    nearest.some((each) => each[key]) ? Object.assign({}, ...outermost.map((each) => each[key])) : undefined;
  const plugins = nearest.flatMap((each) => each.plugins ?? []);
  const allowPrivate = nearest.flatMap((each) => each.network?.allowPrivate ?? []);
  return withoutUndefined<ReadConfig["config"]>({
    roots: some("roots"),
    model: some("model"),
    network: allowPrivate.length > 0 ? { allowPrivate } : undefined,
    sandbox: outermost.reduce<SandboxSettings | false | undefined>(
      (all, each) => mergeSandboxSetting(all, each.sandbox),
      undefined,
    ),
    plugins: plugins.length > 0 ? plugins : undefined,
  });
}

export function mergeSandboxSetting(
  later: SandboxSettings | false | undefined,
  first: SandboxSettings | false | undefined,
): SandboxSettings | false | undefined {
  if (later === undefined || first === false) return first;
  if (later === false) return first ?? false;
  return mergeSettings(later, first);
}
