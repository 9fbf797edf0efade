export { patchNeedsConsent, planApplyPatch, runApplyPatch } from "../apply-patch/run-apply-patch.ts";
export { planEditCall, runEdit } from "../edit/run-edit.ts";
export { planWriteCall, runWrite } from "../write/run-write.ts";
