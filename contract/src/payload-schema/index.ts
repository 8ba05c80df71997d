export {
  DIALECTS,
  dialectOf,
  dialectsWith,
  innerSchemas,
  isDialect,
  isNote,
  refStandsAlone,
  type Schema,
} from './dialects.js';
export { type Check, checkSchema, compileSchema, FORMATS, linearPattern } from './engine.js';
