/**
 * Runs one task per turn of the event loop. A flood of cheap requests then delays another request by one task per turn,
 * not by one task per connection of the flood.
 */
export function oneATurn(): (task: () => void) => void {
  const waiting: Array<() => void> = [];
  const runNext = () => {
    const task = waiting.shift();
    // Schedule first, so that the next tasks run even if this one throws.
    if (waiting.length > 0) setImmediate(runNext);
    task?.();
  };
  return (task) => {
    if (waiting.push(task) === 1) setImmediate(runNext);
  };
}
