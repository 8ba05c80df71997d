/** Loaded when an object is first transferred. */
export { download } from './download.js';
export { upload } from './upload.js';
