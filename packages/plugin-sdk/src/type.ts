/**
 * The one copy of TypeBox that tools are written with. The build bundles it into a single file
 * (`scripts/bundle.ts`): TypeBox is some 300 modules, which cost 60 ms to load one by one
 * and 4 ms in one piece, and 6 MB on disk.
 */
export { type Static, Type } from "@sinclair/typebox";
/** What `Type` makes, where it is JSON Schema, so that an author's declarations can name it. */
export type {
  TAny,
  TArray,
  TBoolean,
  TEnum,
  TImport,
  TInteger,
  TIntersect,
  TLiteral,
  TNever,
  TNot,
  TNull,
  TNumber,
  TObject,
  TOptional,
  TProperties,
  TReadonly,
  TRecord,
  TRecursive,
  TRef,
  TSchema,
  TString,
  TTemplateLiteral,
  TThis,
  TTuple,
  TUnion,
  TUnknown,
  TUnsafe,
} from "@sinclair/typebox";
