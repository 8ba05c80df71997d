// Loaded before the built program (node --import): its pipes look like a terminal, so that it asks.
for (const stream of [process.stdin, process.stderr]) Object.assign(stream, { isTTY: true, columns: 80, rows: 40 });
process.stdin.setRawMode = () => process.stdin;
