import type { SessionKind, ToolFacts } from "@haft/core";

/** The default for a tool: `allow`, `ask` (for each call), `grant` (denied unless granted) or `deny` (never allowed). */
export type CellVerdict = "allow" | "ask" | "grant" | "deny";

/** One cell of the session table. */
export interface TableCell {
  /** The default. */
  readonly verdict: CellVerdict;
  /** The reason, in one line. */
  readonly note: string;
}

/** The cells of one tool, by kind of session. */
export type TableRow = Readonly<Record<SessionKind, TableCell>>;

/** The defaults for all tools, before any policy. */
export interface SessionTable {
  /** The version of the table, which rises when a cell changes its meaning. Every decision id depends on it. */
  readonly version: number;
  /** One row for each built-in tool, by name. */
  readonly builtIn: Readonly<Record<string, TableRow>>;
  /** The row for every other tool. The policy has to name optional ones as well. */
  readonly plugins: TableRow;
}

const cell = (verdict: CellVerdict, note: string): TableCell => Object.freeze({ verdict, note });
const row = (main: TableCell, group: TableCell, sandboxed: TableCell): TableRow =>
  Object.freeze({ main, group, sandboxed });

const insideSandbox = cell("allow", "acts inside the sandbox only");
const nodeGrant = cell("grant", "other machines are reached only when granted");

const reading = row(
  cell("allow", "files of the workspace and the configured roots"),
  cell("allow", "files of the workspace"),
  insideSandbox,
);
const writing = row(
  cell("allow", "files of the workspace and the configured roots"),
  cell("grant", "many people write here; changes to host files are by policy"),
  insideSandbox,
);

/**
 * The defaults that Haft ships: what each kind of session may do without a policy. Policies tighten them, or grant the
 * `grant` cells.
 */
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
    cell("grant", "what many people may use of a plugin is by policy"),
    cell("grant", "plugins reach files and commands by the sandbox's ports, if granted"),
  ),
});

/** Is it the name of a tool that comes with Haft, whether or not a host has it? */
export function hasRow(name: string): boolean {
  return Object.hasOwn(sessionTable.builtIn, name);
}

/** `undefined` for a tool that says it is built in but has no row: nothing is known, so nothing is allowed. */
export function tableCell(tool: ToolFacts, kind: SessionKind): TableCell | undefined {
  if (!tool.builtIn) return sessionTable.plugins[kind];
  return hasRow(tool.name) ? sessionTable.builtIn[tool.name]![kind] : undefined;
}
