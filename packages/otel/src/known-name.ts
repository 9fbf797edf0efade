import type { Session } from "@haft/core/kernel";

const known = new WeakMap<Session, { of: unknown; names: ReadonlySet<string> }>();

/** The name, where there is such a tool: one that the session has, or that is kept from it. */
export function knownName(session: Session, name: string): string | undefined {
  const tools = session.tools();
  let found = known.get(session);
  // Another list, once other tools or rules are in force.
  if (found?.of !== tools) {
    const names = [...tools, ...session.missing()].map((tool) => tool.name);
    known.set(session, (found = { of: tools, names: new Set(names) }));
  }
  return found.names.has(name) ? name : undefined;
}
