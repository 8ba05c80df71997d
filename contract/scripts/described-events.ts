import { eventTypes, PlatformEvent } from '../src/events.js';

type EventType = (typeof eventTypes)[number];

const summaries: Record<EventType, string> = {
  'command.accepted': 'A command was accepted',
  'command.completed': 'The status of a command became final',
};

const examples = PlatformEvent.meta()?.examples as PlatformEvent[];

/** Each event type with its descriptions for OpenAPI and AsyncAPI. */
export const describedEvents = eventTypes.map((type) => ({
  type,
  summary: summaries[type],
  example: examples.find(({ event_type }) => event_type === type),
}));

export type DescribedEvent = (typeof describedEvents)[number];
