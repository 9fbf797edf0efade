import type { SessionKind } from "@haft/core";
import { table } from "../screen/layout.ts";
import type { Part, Report } from "../stage.ts";

const kinds = ["main", "group", "sandboxed"] as const satisfies readonly SessionKind[];

/** What the model of each kind of session is offered, and why it is not offered the rest. */
export const toolsPart: Part = {
  name: "tools",
  title: "What each kind of session is offered",
  needs: [],
  async run({ host, report }, { line, prose, paint }) {
    const previews = await Promise.all(kinds.map((kind) => host.preview({ kind })));
    const rows = host.catalogue.map(async ({ name }) => {
      const explained = await Promise.all(previews.map((preview) => preview.explain(name)));
      const cells = explained.map(({ found, verdict }) => {
        if (found !== "visible") return paint.dim("–");
        return verdict === "asks" ? paint.yellow("asks") : paint.green("yes");
      });
      return [`  ${paint.bold(name)}`, ...cells];
    });
    for (const each of table([["  tool", ...kinds], ...(await Promise.all(rows))])) line(each);
    const sets = previews.map((preview, i) => {
      const offered = preview.tools().map(({ name }) => name);
      return [kinds[i]!, { offered, missing: preview.missing() }] as const;
    });
    report.tools = Object.fromEntries(sets) as unknown as NonNullable<Report["tools"]>;
    // Each reason once: what is said of one tool holds for those named with it.
    for (const [kind, { missing }] of sets)
      for (const [first, ...others] of Map.groupBy(missing, ({ name, reason }) =>
        reason.replace(name, ""),
      ).values()) {
        const names = others.map(({ name }) => name).join(" and ");
        line();
        prose(`${kind}: ${first!.reason}${names && ` The same goes for ${names}.`}`);
        if (first!.fix !== undefined) prose(first!.fix, 2, paint.yellow);
      }
  },
};
