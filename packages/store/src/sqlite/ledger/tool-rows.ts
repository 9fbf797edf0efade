import type { CallRecord } from "@haft/core/internal";
import type { Database } from "../database/database.ts";

const REMEMBERED = 1000;

export class ToolRows {
  readonly #database: Database;
  readonly #ids = new Map<string, number>();
  /** All calls of a tool share the facts object. */
  readonly #rows = new WeakMap<object, { readonly name: string; readonly id: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  getId(name: string, tool: CallRecord["tool"]): number {
    const row = tool && this.#rows.get(tool);
    if (row?.name === name) return row.id;
    const id = this.#find(name, tool);
    if (tool !== undefined) this.#rows.set(tool, { name, id });
    return id;
  }

  #find(name: string, tool: CallRecord["tool"]): number {
    const facts = tool === undefined ? "" : JSON.stringify(tool);
    const key = `${name}\n${facts}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#database.run("INSERT OR IGNORE INTO tools (name, facts) VALUES (?, ?)", name, facts);
    const sql = "SELECT id FROM tools WHERE name = ? AND facts = ?";
    const { id } = this.#database.get(sql, name, facts) as { id: number };
    if (this.#ids.size >= REMEMBERED) this.#ids.clear();
    this.#ids.set(key, id);
    return id;
  }
}
