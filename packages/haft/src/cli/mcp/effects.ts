import type { ToolEffect } from "@haft/core";
import { didYouMean, nearestNames } from "@haft/core/internal";
import { hostError } from "../../errors.ts";
import { changeOperatorsFile } from "../../mcp/operators-file.ts";
import { UsageError } from "../usage.ts";
import { print } from "../write-out.ts";
import { findServer, type McpValues, readMcpPlace } from "./mcp-place.ts";

const EFFECTS = ["read", "write", "execute", "network", "message"] as const satisfies ToolEffect[];
/** Words for what is no list of effects. */
const COMPUTES = "computes";
const UNKNOWN = "unknown";

export async function setEffects(
  values: McpValues,
  [name, tool, ...words]: readonly string[],
): Promise<number> {
  if (name === undefined || tool === undefined || words.length === 0)
    throw new UsageError(
      `haft mcp effects NAME TOOL EFFECT…: effects are ${EFFECTS.join(", ")}; ${COMPUTES} for none of them, ${UNKNOWN} to take back what was said.`,
    );
  const place = await readMcpPlace(values);
  const { accepted, heldBack } = findServer(name, place);
  if (accepted === undefined)
    throw hostError("MCP_UNAVAILABLE", `The MCP server ${name} ${heldBack ?? "was never added"}.`, {
      fix: `Run haft mcp add ${name} first.`,
    });
  const names = accepted.tools.map((one) => one.name);
  const wanted = tool === "--all" || tool === "all" ? names : [tool];
  const foreign = wanted.find((one) => !names.includes(one));
  if (foreign !== undefined)
    throw new UsageError(
      `${name} has no tool ${JSON.stringify(foreign)}.${didYouMean(nearestNames(foreign, names, 1)) || ` It has ${names.join(", ")}.`}`,
    );
  const effects = readEffects(words);
  await changeOperatorsFile(place.file, (servers) => {
    const server = servers[name];
    if (server?.accepted === undefined) return servers;
    const said = Object.entries(server.accepted.effects ?? {}).filter(([one]) => !wanted.includes(one));
    const more = effects === undefined ? [] : wanted.map((one) => [one, effects] as const);
    const next = { ...server.accepted, effects: Object.fromEntries([...said, ...more]) };
    return { ...servers, [name]: { ...server, accepted: next } };
  });
  print(values.json, { name, tools: wanted, effects: effects ?? null }, () =>
    effects === undefined
      ? `Nobody says what ${wanted.join(", ")} of ${name} does: each call is asked about.`
      : `${wanted.join(", ")} of ${name}: ${effects.length === 0 ? "only computes" : effects.join(", ")}. Rules decide about calls from now on, in sessions that are opened from now on.`,
  );
  return 0;
}

function readEffects(words: readonly string[]): readonly ToolEffect[] | undefined {
  const all = words.flatMap((word) => word.split(",")).filter(Boolean);
  if (all.length === 1 && all[0] === COMPUTES) return [];
  if (all.length === 1 && all[0] === UNKNOWN) return undefined;
  const wrong = all.find((word) => !(EFFECTS as readonly string[]).includes(word));
  if (wrong === undefined) return EFFECTS.filter((effect) => all.includes(effect));
  throw new UsageError(
    `${JSON.stringify(wrong)} is no effect.${didYouMean(nearestNames(wrong, [...EFFECTS, COMPUTES, UNKNOWN], 1)) || ` There are ${EFFECTS.join(", ")}, ${COMPUTES} and ${UNKNOWN}.`}`,
  );
}
