/** Says on stderr what a command leaves out. It goes on, and the process ends with 9: done, except what is named. */
export function leaveOut(what: string): [] {
  console.error(`Left out ${what}`);
  process.exitCode = 9;
  return [];
}
