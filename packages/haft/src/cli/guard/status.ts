import { type Looked, lookAt } from "../../guard/install/look-at.ts";
import { allSettings } from "../../guard/settings/all-settings.ts";
import { UsageError } from "../usage.ts";
import { settingsPlace } from "./settings-place.ts";

/** How each agent stands with the guard. Resolves to the exit code: 1 where one that is installed does not hold. */
export async function showStatus(
  words: readonly string[],
  { probe: wantsProbe = false, json = false }: { probe?: boolean; json?: boolean },
): Promise<number> {
  if (words.length > 0) throw new UsageError(`haft guard status is about all agents; got "${words[0]}".`);
  const folder = process.cwd();
  const all: Looked[] = [];
  for (const settings of allSettings.values()) {
    const places = [settingsPlace(false), settingsPlace(true)];
    const looked: Looked[] = [];
    for (const place of places) looked.push(await lookAt(settings, place, { folder, wantsProbe }));
    const isSame = looked[0]!.file === looked[1]!.file;
    const [first, ...more] = looked.filter(
      ({ state }, index) => state !== "not installed" && !(isSame && index > 0),
    );
    all.push(first ?? looked[0]!, ...more);
  }
  const isBroken = all.some(({ state }) => state === "broken");
  if (json) {
    const described = all.map((looked) => {
      const { open, untried = false, next } = allSettings.get(looked.agent)!;
      return { ...looked, open, untried, next };
    });
    console.log(JSON.stringify({ agents: described }));
    return isBroken ? 1 : 0;
  }
  for (const looked of all) console.log(describe(looked).join("\n"));
  return isBroken ? 1 : 0;
}

function describe({ agent, file, state, problems, notes, policyFile, native, probed }: Looked): string[] {
  if (state === "not installed") return [`${agent}: not installed`];
  const { open, untried } = allSettings.get(agent)!;
  return [
    `${agent}: ${state === "broken" ? "DOES NOT HOLD as it should" : state}, by ${file}`,
    ...problems.map((text) => `  problem: ${text}`),
    ...(policyFile === undefined ? [] : [`  rules: ${policyFile}`]),
    ...(native === undefined ? [] : [`  its own rules deny, too: ${native.join(", ")}`]),
    ...notes.map((text) => `  ${text}`),
    ...(probed === undefined
      ? []
      : [
          `  probe: a forbidden call was ${probed.denies ? "denied" : "let through"}; with a guard that crashes, or is gone, it was ${probed.deniesWithout ? "denied" : "let through"}`,
        ]),
    ...open.map((text) => `  not closed: ${text}`),
    ...(untried ? ["  not tried with the real client"] : []),
  ];
}
