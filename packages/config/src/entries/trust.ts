// Internal entry: it can change with any version.
export { explainEndedTrust } from "../trust/check-trust.ts";
export { findInstalledPackage } from "../trust/covered-files.ts";
export { readPackage } from "../trust/covered-package.ts";
export { integrityInLockfile } from "../trust/lockfile.ts";
export {
  type GuardedModules,
  ModuleGuard,
  getModuleGuard,
  guardModuleCompiler,
  guardNamed,
  resolveHaftPackage,
  withoutQuery,
} from "../trust/module-guard.ts";
export type { TrustedPackage } from "../trust/trust-record.ts";
export { TrustStore } from "../trust/trust-store.ts";
