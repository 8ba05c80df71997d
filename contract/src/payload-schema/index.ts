export {
  DIALECTS,
  dialectOf,
  innerSchemas,
  isAnnotation,
  isDialect,
  keywordsOf,
  refStandsAlone,
  type Schema,
} from './dialects.js';
export { type Check, checkSchema, compileSchema, FORMATS, linearPattern } from './engine.js';
