import { createMemoryStore } from "../../src/kernel/recording/memory-store.ts";
import { ledgerStoreContract } from "../contract/ledger-store.ts";

ledgerStoreContract("in memory", createMemoryStore);
