import { type CallPlan, HaftError, type PathSubject, type Workspace } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { fileToolError } from "../errors.ts";
import { EventLoopYielder } from "../scheduling/event-loop-yielder.ts";
import { findExistingSpelling } from "./existing-spelling.ts";
import { locate } from "./locate.ts";

type Refusal = NonNullable<CallPlan["refused"]>;
type RequiredConsent = NonNullable<CallPlan["consent"]>[number];

export interface CallPath {
  path: string;
  access: PathSubject["access"];
  recursive?: boolean;
  /** The call would remove or rename it: a link then means itself. */
  unlink?: boolean;
}

interface PlannedPath {
  path: string;
  unlink: boolean;
  real: string | undefined;
}

/**
 * Returns the paths for rules, the boundary's result, and as `data` the input for {@link requirePlannedPaths}. The tool reports a path that
 * cannot be resolved.
 */
export async function planPaths(workspace: Workspace, paths: readonly CallPath[]): Promise<CallPlan> {
  let refused: Refusal | undefined;
  const consent: RequiredConsent[] = [];
  const subjects: PathSubject[] = [];
  const data: PlannedPath[] = [];
  const turns = new EventLoopYielder();
  for (const { path, access, recursive = false, unlink = false } of paths) {
    await turns.pause();
    const found = await realPathOf(workspace, path, unlink);
    const real = HaftError.is(found) ? undefined : found;
    const refusal = await boundaryErrorOf(workspace, { path, access, unlink });
    const needed = consentFrom(refusal);
    if (needed) consent.push(needed);
    else refused ??= pathRefusal(refusal ?? found);
    data.push({ path, unlink, real });
    const subject = withoutUndefined<PathSubject>({
      path: real ?? path,
      relative: real === undefined ? path : relativeToRoot(workspace, real),
      access,
      recursive: recursive || undefined,
    });
    subjects.push(subject);
  }
  return withoutUndefined<CallPlan>({
    subjects: { paths: subjects },
    data,
    refused,
    consent: consent.length > 0 ? consent : undefined,
  });
}

export async function needsConsent(
  workspace: Workspace,
  paths: readonly Pick<CallPath, "path" | "unlink">[],
): Promise<boolean> {
  if (workspace.withConsent === undefined) return false;
  const turns = new EventLoopYielder();
  for (const { path, unlink = false } of paths) {
    await turns.pause();
    if (consentFrom(await boundaryErrorOf(workspace, { path, access: "write", unlink }))) return true;
  }
  return false;
}

function consentFrom(refusal: HaftError | undefined): RequiredConsent | undefined {
  const place = refusal?.code === "CONSENT_NEEDED" ? refusal.details?.["place"] : undefined;
  if (typeof place !== "string") return undefined;
  const what =
    refusal?.details?.["startedBy"] === "git"
      ? "is run by git or by one of its hooks, for example at the next commit."
      : "is a setting that starts programs automatically when the project is opened.";
  return { place, reason: `${place} ${what}` };
}

/**
 * Does nothing without a plan.
 *
 * @throws `PATH_CHANGED` if a link or folder was replaced since
 */
export async function requirePlannedPaths(workspace: Workspace, data: unknown): Promise<void> {
  if (data === undefined) return;
  const turns = new EventLoopYielder();
  for (const { path, unlink, real } of data as readonly PlannedPath[]) {
    await turns.pause();
    const now = await realPathOf(workspace, path, unlink);
    if ((HaftError.is(now) ? undefined : now) === real) continue;
    const message = `${JSON.stringify(path)} leads to another location than at the decision about the call. Nothing was done.`;
    const fix = "Repeat the call, so that the decision uses the current location.";
    throw fileToolError("PATH_CHANGED", message, { fix, details: { path } });
  }
}

function realPathOf(workspace: Workspace, path: string, unlink: boolean): Promise<string | HaftError> {
  return orError(
    async () => (await locate(workspace.fs, workspace.describe().target, path, { unlink })).real,
  );
}

function boundaryErrorOf(
  { fs }: Workspace,
  { path, access, unlink }: Required<Pick<CallPath, "path" | "access" | "unlink">>,
): Promise<HaftError | undefined> {
  return orError(async () => {
    await fs.check?.(await findExistingSpelling(fs, path), access, { follow: !unlink });
    return undefined;
  });
}

async function orError<T>(work: () => Promise<T>): Promise<T | HaftError> {
  try {
    return await work();
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
    throw thrown;
  }
}

/** A missing path may exist when the call runs, so only forbidden paths are refused. */
export function pathRefusal(found: unknown): Refusal | undefined {
  if (!HaftError.is(found) || found.category !== "policy") return undefined;
  const { code, message, fix } = found;
  return withoutUndefined({ code, reason: message, fix });
}

export function relativeToRoot(workspace: Workspace, real: string): string {
  let root = "";
  for (const { path } of workspace.describe().mounts) {
    const holds = real === path || real.startsWith(path.endsWith("/") ? path : `${path}/`);
    if (holds && path.length > root.length) root = path;
  }
  return real.slice(root.length).replace(/^\/+/, "") || ".";
}
