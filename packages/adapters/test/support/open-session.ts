import { type Logger, type Plugin, contentToText, type ToolOutcome, type Workspace } from "@haft/core";
import {
  Registry,
  type Session,
  type SessionEnvironment,
  SessionFactory,
  type SessionOptions,
} from "@haft/core/kernel";
import { createPolicy, type PolicyConfig } from "@haft/policy";

export interface TestSession extends Partial<Omit<SessionEnvironment, "registry" | "policy">> {
  rules?: PolicyConfig;
  open?: Partial<SessionOptions>;
}

/** A session of a real kernel and a real policy, with the tools of these plugins. Bridged tools use no workspace. */
export async function openSession(plugins: readonly Plugin[], setup: TestSession = {}): Promise<Session> {
  const { rules = {}, open, ...environment } = setup;
  const registry = new Registry({ plugins });
  const policy = createPolicy(rules, { tools: await registry.survey(setup.logger ?? memoryLogger()) });
  const factory = new SessionFactory({ registry, policy, abortGraceMs: 50, ...environment });
  return factory.open({ kind: "main", workspace: NO_FILES, ...open });
}

const NO_FILES: Workspace = {
  fs: undefined as never,
  describe: () => ({ target: "host", cwd: "/work", mounts: [], boundary: "none" }),
};

/** Calls a tool of a session of this plugin alone. */
export async function callOnce(plugin: Plugin, name: string, args: unknown = {}): Promise<ToolOutcome> {
  await using session = await openSession([plugin]);
  return await session.call({ name, arguments: args });
}

export function getText({ content }: ToolOutcome): string {
  return contentToText(content);
}

/** Why tools are not there, each as a line. */
export function reasons(session: Session): string[] {
  return session.diagnostics().map(({ message }) => message);
}

export function memoryLogger(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  return { lines, debug: write, info: write, warn: write, error: write };
}
