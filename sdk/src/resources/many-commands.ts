/** What only callers of many commands need: loaded when it is first used. */
export { addSummaries } from './add-summaries.js';
export { createMany } from './create-many.js';
export { outcomesOf } from './outcomes.js';
export { SharedRequests } from './shared-requests.js';
