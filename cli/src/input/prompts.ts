export { confirm, password, select, text } from '@clack/prompts';
