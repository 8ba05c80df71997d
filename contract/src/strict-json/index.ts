export { canonicalJson } from './canonical-json.js';
export { locationOf } from './location.js';
export { type JsonProblem, parseJson } from './parse-json.js';
