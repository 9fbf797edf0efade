// For the packages beside this one. Not public: it may change with any version.
export { getAddressFile, removeStaleFiles } from "../serve/remove-stale-files.ts";
export { TokenRegistry, ensureOperatorToken } from "../serve/token-registry.ts";
