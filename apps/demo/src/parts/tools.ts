import type { SessionKind } from "@haft/core";
import type { CallExplanation } from "@haft/core/kernel";
import type { Report } from "../report.ts";
import { table } from "../screen/layout.ts";
import type { Screen } from "../screen/screen.ts";
import type { Part } from "./part.ts";

const kinds = ["main", "group", "sandboxed"] as const satisfies readonly SessionKind[];

/** What the model of each kind of session is offered, and why it is not offered the rest. */
export const toolsPart: Part = {
  name: "tools",
  title: "What each kind of session is offered",
  needs: [],
  async run({ host, report }, screen) {
    const previews = await Promise.all(kinds.map((kind) => host.preview({ kind })));
    const { paint } = screen;
    const rows = await Promise.all(
      host.catalogue.map(async ({ name }) => {
        const explained = await Promise.all(previews.map((preview) => preview.explain(name)));
        return [`  ${paint.bold(name)}`, ...explained.map((explanation) => cell(explanation, paint))];
      }),
    );
    for (const each of table([["  tool", ...kinds], ...rows])) screen.line(each);
    const tools = Object.fromEntries(
      previews.map((preview, i) => [
        kinds[i],
        { offered: preview.tools().map(({ name }) => name), missing: preview.missing() },
      ]),
    ) as ToolSets;
    report.tools = tools;
    showReasons(tools, screen);
  },
};

function cell({ found, verdict }: CallExplanation, paint: Screen["paint"]): string {
  if (found !== "visible") return paint.dim("–");
  return verdict === "asks" ? paint.yellow("asks") : paint.green("yes");
}

type ToolSets = NonNullable<Report["tools"]>;

/** Why tools are missing, each reason once: what is said of one tool holds for those named with it. */
function showReasons(tools: ToolSets, screen: Screen): void {
  for (const kind of kinds) {
    const byReason = Map.groupBy(tools[kind].missing, ({ name, reason }) => reason.replace(name, ""));
    for (const [first, ...others] of byReason.values()) {
      if (!first) continue;
      const also =
        others.length > 0 ? ` The same goes for ${others.map(({ name }) => name).join(" and ")}.` : "";
      screen.line();
      screen.prose(`${kind}: ${first.reason}${also}`);
      if (first.fix !== undefined) screen.prose(first.fix, 2, screen.paint.yellow);
    }
  }
}
