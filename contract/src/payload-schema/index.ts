export {
  DIALECTS,
  dialectOf,
  innerSchemas,
  isDialect,
  isNote,
  keywordsOf,
  refStandsAlone,
  type Schema,
} from './dialects.js';
export { type Check, checkSchema, compileSchema, FORMATS, linearPattern } from './engine.js';
