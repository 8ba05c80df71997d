/** What `client.objects` loads at its first transfer, so that a client that makes none does not carry it. */
export { download } from './download.js';
export { upload } from './upload.js';
