import type { SessionKind, ToolFacts } from "@haft/core";

/** States the default for a tool: `allow`, `ask` (for each call), `grant` (denied unless granted) or `deny` (never allowed). */
export type CellVerdict = "allow" | "ask" | "grant" | "deny";

export interface TableCell {
  readonly verdict: CellVerdict;
  readonly note: string;
}

export type TableRow = Readonly<Record<SessionKind, TableCell>>;

/** Contains the defaults for all tools. */
export interface SessionTable {
  /** Increases when a cell changes its meaning. Every decision id depends on it. */
  readonly version: number;
  /** Contains one row for each built-in tool, by name. */
  readonly builtIn: Readonly<Record<string, TableRow>>;
  /** Applies to every other tool. */
  readonly plugins: TableRow;
}

const cell = (verdict: CellVerdict, note: string): TableCell => Object.freeze({ verdict, note });
const row = (main: TableCell, group: TableCell, sandboxed: TableCell): TableRow =>
  Object.freeze({ main, group, sandboxed });

const insideSandbox = cell("allow", "acts inside the sandbox only");
const nodeGrant = cell("grant", "other machines are reachable only if granted");

const reading = row(
  cell("allow", "files of the workspace and the configured roots"),
  cell("allow", "files of the workspace"),
  insideSandbox,
);
const writing = row(
  cell("allow", "files of the workspace and the configured roots"),
  cell("grant", "many people write here; a policy must allow changes of host files"),
  insideSandbox,
);

/** Policies tighten the defaults, or grant the `grant` cells. */
export const sessionTable: SessionTable = Object.freeze({
  version: 1,
  builtIn: Object.freeze({
    read: reading,
    ls: reading,
    find: reading,
    grep: reading,
    write: writing,
    edit: writing,
    apply_patch: writing,
    exec: row(
      cell("allow", "the owner is trusted with commands on the host"),
      cell("ask", "every command on the host needs approval"),
      insideSandbox,
    ),
    bash: row(
      cell("ask", "a whole shell on the host needs approval"),
      cell("ask", "every command on the host needs approval"),
      insideSandbox,
    ),
    process: row(
      cell("allow", "processes of this session"),
      cell("allow", "processes of this session, whose start was approved"),
      insideSandbox,
    ),
    node_invoke: row(nodeGrant, nodeGrant, nodeGrant),
  }),
  plugins: row(
    cell("allow", "plugins were installed by the owner"),
    cell("grant", "a policy must allow plugin tools for many people"),
    cell("grant", "plugins act through the sandbox, and only if granted"),
  ),
});

/** The host need not have the tool. */
export function hasRow(name: string): boolean {
  return Object.hasOwn(sessionTable.builtIn, name);
}

/** Returns `undefined` for a tool that claims to be built in but has no row. */
export function tableCell(tool: ToolFacts, kind: SessionKind): TableCell | undefined {
  if (!tool.builtIn) return sessionTable.plugins[kind];
  return hasRow(tool.name) ? sessionTable.builtIn[tool.name]![kind] : undefined;
}
