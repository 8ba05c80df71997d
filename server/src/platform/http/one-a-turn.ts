/**
 * Runs one task in each turn of the event loop. A flood of cheap requests then delays any other request by one of them
 * in each turn, and not by one of each connection of the flood.
 */
export function oneATurn(): (task: () => void) => void {
  const waiting: Array<() => void> = [];
  const runNext = () => {
    const task = waiting.shift();
    // First, so that the others run even if this one throws.
    if (waiting.length > 0) setImmediate(runNext);
    task?.();
  };
  return (task) => {
    if (waiting.push(task) === 1) setImmediate(runNext);
  };
}
