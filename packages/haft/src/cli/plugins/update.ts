import { HaftError } from "@haft/core";
import {
  addPlugin,
  type InstallTarget,
  listConfiguredPlugins,
  toPluginReference,
} from "@haft/plugin-loader/internal/check";
import {
  parsePackageSpec,
  type PackageSpec,
  type PluginRecord,
  type PluginRecords,
  readDependency,
} from "@haft/plugin-loader/internal/plugins";
import { escapeInvisible } from "@haft/utils";
import { runInterruptible } from "../call/signal-listener.ts";
import { UsageError } from "../usage.ts";
import { describeUpdate, formatUpdate } from "./describe-update.ts";
import type { PluginsValues } from "./open-survey.ts";
import { formatHomePath, openPluginRecords, readPluginsTarget } from "./plugins-target.ts";
import { showProgress } from "./progress.ts";

type RegistrySpec = Extract<PackageSpec, { from: "registry" }>;

interface Update {
  use: string;
  from: string;
  /** Absent after a failure. */
  to?: string;
  outcome: "updated" | "newest" | "dry run" | "failed";
  changes: readonly string[];
  problem?: { code: string; message: string; fix?: string };
}

/** Ends an update that only shows its changes. */
class DryRun extends Error {}

/** Ends an update whose newest release is older than the installed version. */
class OlderRelease extends Error {}

export async function updatePluginCommand(
  values: PluginsValues & { "allow-scripts"?: boolean },
  words: readonly string[],
): Promise<number> {
  const target = await readPluginsTarget(values);
  const records = openPluginRecords(values);
  const specs = await selectPlugins(words[0], target, records);
  const print = (line: string): void => void (values.json || console.log(escapeInvisible(line)));
  if (specs.length === 0) print(`${formatHomePath(target.file)} names no plugin from a registry.`);
  return runInterruptible(values.json, async (signal) => {
    const updates: Update[] = [];
    for (const spec of specs) updates.push(await updateOne(spec, { target, records, values, signal, print }));
    if (values.json) console.log(JSON.stringify({ plugins: updates }));
    const isTextDryRun = !values.json && values["dry-run"] === true;
    if (isTextDryRun && updates.some(({ outcome }) => outcome === "dry run"))
      print("Nothing was changed. haft plugins update without --dry-run makes the update.");
    return updates.every(({ outcome }) => outcome !== "failed") ? 0 : 1;
  });
}

/** @throws UsageError for a plugin that is not installed from a registry */
async function selectPlugins(
  word: string | undefined,
  target: InstallTarget,
  records: PluginRecords,
): Promise<RegistrySpec[]> {
  const file = formatHomePath(target.file);
  if (target.kind === "code" && word === undefined)
    throw new UsageError(
      `${file} is code, so Haft does not know its plugins. Name one: haft plugins update NAME.`,
    );
  const wanted = word === undefined ? undefined : parsePackageSpec(word, process.cwd());
  if (wanted !== undefined && wanted.from !== "registry")
    throw new UsageError(`${word} is not a package of a registry. To replace it: haft plugins add ${word}`);
  const candidates = wanted === undefined ? await listConfiguredPlugins(target) : [wanted.name];
  const specs = candidates.flatMap((use): RegistrySpec[] => {
    const isInstalled = readPinned(use, target, records) !== undefined;
    const { specifier = "" } = readDependency(target.folder, use) ?? {};
    if (isInstalled && /^[\d^~]/.test(specifier))
      return [{ from: "registry", name: use, specifier: wanted?.specifier ?? "latest" }];
    if (wanted === undefined) return [];
    throw new UsageError(
      isInstalled
        ? `${use} was installed from ${specifier}. To replace it: haft plugins add with the new file.`
        : `${use} is not installed for ${file}. To install it: haft plugins add ${use}`,
    );
  });
  return specs;
}

function readPinned(use: string, target: InstallTarget, records: PluginRecords): PluginRecord["pinned"] {
  return records.read(toPluginReference(use, target))?.pinned;
}

async function updateOne(
  spec: RegistrySpec,
  given: {
    target: InstallTarget;
    records: PluginRecords;
    values: PluginsValues & { "allow-scripts"?: boolean };
    signal: AbortSignal;
    print: (line: string) => void;
  },
): Promise<Update> {
  const { target, records, values, signal, print } = given;
  const { name: use } = spec;
  const from = readPinned(use, target, records)!.version;
  let [to, changes]: [string, readonly string[]] = [from, []];
  const review = (before: PluginRecord | undefined, after: PluginRecord): void => {
    const update = describeUpdate(before, after);
    if (spec.specifier === "latest" && update !== undefined && isOlder(update.to, from))
      throw new OlderRelease(update.to);
    if (update !== undefined) ({ to, changes } = update);
    if (update !== undefined && to !== from) for (const line of formatUpdate(use, update)) print(line);
    if (values["dry-run"]) throw new DryRun();
  };
  const allowScripts = values["allow-scripts"] ?? false;
  const base = { use, from };
  const same = `${use} ${from} is ${spec.specifier === "latest" ? "the newest version" : "installed already"}.`;
  try {
    await addPlugin(spec, { target, allowScripts, records, withProgress: showProgress, signal, review });
    print(to === from ? same : `Updated ${use}.`);
    return { ...base, to, outcome: to === from ? "newest" : "updated", changes };
  } catch (thrown) {
    if (thrown instanceof OlderRelease) {
      const { message: release } = thrown;
      print(
        `${use} ${from} is newer than ${release}, the newest release. To install that: haft plugins update ${use}@${release}`,
      );
      return { ...base, to: from, outcome: "newest", changes: [] };
    }
    if (thrown instanceof DryRun) {
      if (to === from) print(same);
      return { ...base, to, outcome: to === from ? "newest" : "dry run", changes };
    }
    if (!HaftError.is(thrown) || signal.aborted) throw thrown;
    const { code, message, fix } = thrown;
    console.error(escapeInvisible(`haft: ${use} was not updated from ${from}: ${message} [${code}]`));
    if (fix !== undefined) console.error(escapeInvisible(`  ${fix}`));
    return {
      ...base,
      outcome: "failed",
      changes,
      problem: { code, message, ...(fix !== undefined && { fix }) },
    };
  }
}

/** Compares semantic versions. A prerelease is older than its release. */
function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((each) => /^([^-+]*)(?:-([^+]*))?/.exec(each)!);
  const order = compareNumbers(one![1]!, other![1]!);
  if (order !== 0) return order < 0;
  const [before, after] = [one![2], other![2]];
  return before !== undefined && (after === undefined || compareNumbers(before, after) < 0);
}

function compareNumbers(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}
