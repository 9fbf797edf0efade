import { createMemoryStore } from "../../src/kernel/ledger.ts";
import { ledgerStoreContract } from "../contract/ledger-store.ts";

ledgerStoreContract("in memory", createMemoryStore);
