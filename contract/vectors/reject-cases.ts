import type { RejectCase } from './cases.js';
import { headerCases } from './reject-header-cases.js';
import { serverCases } from './reject-server-cases.js';
import { signatureCases } from './reject-signature-cases.js';
import { targetCases } from './reject-target-cases.js';

export const rejectCases: RejectCase[] = [...targetCases, ...headerCases, ...signatureCases, ...serverCases];
