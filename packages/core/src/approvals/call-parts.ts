import { sha256 } from "@haft/utils";
import type { CallPlan } from "../contract/plan.ts";
import type { Mount, Workspace } from "../contract/ports.ts";
import { canonicalText } from "../parameters/digest.ts";
import type { ApprovalSession, ApprovalSubject } from "./subject.ts";

export type CallParts = Readonly<Record<string, string>>;

/** Digests arguments, plan and targets of paths, by name. Equal on every host. */
export function callParts(session: ApprovalSession, call: ApprovalSubject): CallParts {
  const { identity, binding, facts, subjects } = call.plan ?? {};
  const { cwd, mounts } = session.workspace.describe();
  const parts: Record<string, string> = {
    ...locationParts(session.workspace, [cwd, ...pathsOf(call.plan)]),
    arguments: identity === undefined ? canonicalText(call.args) : `planned ${identity}`,
    "working folder": portablePath(mounts, cwd),
  };
  if (facts === undefined) parts["programs and files"] = binding ?? "";
  else for (const [name, fact] of Object.entries(facts)) parts[`${FACT}${name}`] = fact;
  // Includes the targets of paths: a new link makes another call.
  const paths = subjects?.paths ?? [];
  parts["paths"] = canonicalText(paths.map(({ path, access }) => [access, portablePath(mounts, path)]));
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, sha256(part, "base64url")]));
}

export function changedParts(before: CallParts | undefined, now: CallParts): string[] {
  if (before === undefined) return ["what it would do"];
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names]
    .filter((name) => before[name] !== now[name])
    .map((name) => (name.startsWith(FACT) ? name.slice(FACT.length) : name));
}

const FACT = "+";

/** A permission is limited to its workspace. */
export function hashCallParts(tool: string, kind: string, parts: CallParts): string {
  return sha256(canonicalText([tool, kind, parts]), "base64url");
}

export function locationParts(workspace: Workspace, paths: readonly string[]): Record<string, string> {
  const { target, mounts, name } = workspace.describe();
  const parts: Record<string, string> = { place: target };
  const used = new Set([mounts[0], ...paths.map((path) => rootOf(mounts, path))]);
  for (const root of used) {
    if (root !== undefined)
      parts[`root ${JSON.stringify(root.name)}`] = name === undefined ? root.path : `of ${name}`;
  }
  return parts;
}

function portablePath(mounts: readonly Mount[], path: string): string {
  const root = rootOf(mounts, path);
  return root === undefined ? path : `${root.name}:${path.slice(root.path.length).replace(/^\/+/, "")}`;
}

function rootOf(mounts: readonly Mount[], path: string): Mount | undefined {
  const holding = mounts.filter(
    (root) => path === root.path || path.startsWith(root.path.endsWith("/") ? root.path : `${root.path}/`),
  );
  return holding.toSorted((a, b) => b.path.length - a.path.length)[0];
}

function pathsOf(plan: CallPlan | undefined): string[] {
  const { paths = [], command } = plan?.subjects ?? {};
  return [...paths.map(({ path }) => path), ...(command === undefined ? [] : [command.cwd])];
}
