import { sdkError } from "../../errors.ts";

/** A test needs these optional peers. Values: functions that import them. */
const PACKAGES = {
  "@haft/policy": () => import("@haft/policy"),
  "@haft/sandbox": () => import("@haft/sandbox"),
  "@haft/workspace": () => import("@haft/workspace"),
  "fast-check": () => import("fast-check"),
} as const;

type Packages = typeof PACKAGES;

/**
 * @param what starts a sentence: the part that needs the package
 * @throws HaftError `PACKAGE_MISSING`
 */
export async function requirePackage<Name extends keyof Packages>(
  name: Name,
  what: string,
): Promise<Awaited<ReturnType<Packages[Name]>>> {
  const found = await findPackage(name);
  if (found !== undefined) return found;
  throw sdkError("PACKAGE_MISSING", `${what} needs ${name}, which is not installed here.`, {
    fix: `Install it: npm install --save-dev ${name}`,
    details: { package: name },
  });
}

/** `undefined`: it is not installed. */
export async function findPackage<Name extends keyof Packages>(
  name: Name,
): Promise<Awaited<ReturnType<Packages[Name]>> | undefined> {
  try {
    return (await PACKAGES[name]()) as Awaited<ReturnType<Packages[Name]>>;
  } catch (thrown) {
    // A broken package reports its own error.
    const { code, message } = thrown as Partial<NodeJS.ErrnoException>;
    if (code === "ERR_MODULE_NOT_FOUND" && message?.includes(`'${name}'`) === true) return undefined;
    throw thrown;
  }
}
