import {
  describeVersion,
  type SettingsInspection,
  inspectSettings,
  allSettings,
} from "@haft/guard/internal/agents";
import { getSettingsLocation } from "./settings-location.ts";

export async function showStatus({
  probe: wantsProbe = false,
  json,
}: {
  probe?: boolean;
  json?: boolean;
}): Promise<number> {
  const folder = process.cwd();
  const all: SettingsInspection[] = [];
  for (const settings of allSettings.values()) {
    const locations = [getSettingsLocation(false), getSettingsLocation(true)];
    const looked: SettingsInspection[] = [];
    for (const location of locations)
      looked.push(await inspectSettings(settings, location, { folder, wantsProbe }));
    const isSame = looked[0]!.file === looked[1]!.file;
    const [first, ...more] = looked.filter(
      ({ state }, index) => state !== "not installed" && !(isSame && index > 0),
    );
    all.push(first ?? looked[0]!, ...more);
  }
  const isBroken = all.some(({ state }) => !HOLDS.has(state));
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

const HOLDS: ReadonlySet<SettingsInspection["state"]> = new Set(["guarded", "watched", "not installed"]);

const VERDICTS: Readonly<Partial<Record<SettingsInspection["state"], string>>> = {
  broken: "DOES NOT WORK as it should",
  "changed since installed": "CHANGED SINCE IT WAS INSTALLED, so it may not decide",
  "decides nothing": "DECIDES NOTHING except about changes of the guard itself",
  "not trusted": "NOT TRUSTED, so it is not called",
  "changed since trusted": "CHANGED SINCE YOU TRUSTED IT, so it is not called",
};

function describe({
  agent,
  file,
  state,
  problems,
  notes,
  policyFile,
  native,
  probed,
  client,
}: SettingsInspection): string[] {
  if (state === "not installed") return [`${agent}: not installed`];
  const { open } = allSettings.get(agent)!;
  return [
    `${agent}: ${VERDICTS[state] ?? state}, by ${file}`,
    ...problems.map((text) => `  problem: ${text}`),
    ...(policyFile === undefined ? [] : [`  rules: ${policyFile}`]),
    ...(native === undefined ? [] : [`  its native rules also deny: ${native.join(", ")}`]),
    ...notes.map((text) => `  ${text}`),
    ...(probed === undefined
      ? []
      : [
          `  probe: a forbidden call was ${probed.denies ? "denied by the guard" : "not denied by the guard"}, a harmless call was ${probed.answers ? "answered" : "not answered"}; with a guard that crashes, prints nothing, or is missing, a forbidden call was ${probed.deniesWithout ? "denied" : "allowed"}`,
        ]),
    ...open.map((text) => `  not closed: ${text}`),
    `  ${describeVersion(client)}`,
  ];
}
