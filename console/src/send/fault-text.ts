import { texts } from '../app/texts';
import type { Fault } from './check-payload';

const fixed = { REQUIRED: texts.send.required, NOT_ALLOWED: texts.send.notAllowed };

export const faultText = ({ kind, message }: Fault) => (kind === 'OTHER' ? message : fixed[kind]);
