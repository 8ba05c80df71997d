#!/usr/bin/env node
import { runProgram } from './program.js';

runProgram(process.argv.slice(2), { topctl: 'npx @tenant-open-platform/cli' });
