export { headerPatterns, signatureHeaders } from './headers.js';
export { ALGORITHM, EMPTY_BODY_SHA256, type SignedParts, stringToSign } from './string-to-sign.js';
export { targetProblem } from './target.js';
