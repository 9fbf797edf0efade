import { withoutUndefined } from "@haft/utils";
import { mergeSettings, type SandboxSettings } from "../settings/sandbox-settings.ts";
import type { Configuration } from "./find-configuration.ts";
import type { ReadConfig } from "./read-config.ts";

/**
 * What all that is believed says beside rules, one root, one setting of the sandbox and of the model at a time: the operator's
 * own before trusted files of the workspace, of those the nearest first. Plugins add up, and so do hosts.
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
