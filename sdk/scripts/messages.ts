type Schemas = Record<string, object>;
type Document = { components: { schemas: Schemas } };

const RECEIVED = ['CommandMessage', 'DeviceReplyMessage'];
const SENT = ['CommandUpdate', 'DeviceRequestMessage'];

/** The schemas of the messages that an adapter reads and sends, with those that they refer to. */
export function messagesOf({ components }: Document): { schemas: Schemas; sent: Set<string> } {
  const withReferences = (names: string[], found = new Set<string>()): Set<string> => {
    for (const name of names) {
      if (found.has(name)) continue;
      found.add(name);
      const text = JSON.stringify(components.schemas[name]);
      withReferences(
        Array.from(text.matchAll(/#\/components\/schemas\/(\w+)/g), ([, referred = '']) => referred),
        found,
      );
    }
    return found;
  };
  const sent = withReferences(SENT);
  const wanted = new Set([...withReferences(RECEIVED), ...sent]);
  const schemas = Object.fromEntries(Object.entries(components.schemas).filter(([name]) => wanted.has(name)));
  return { schemas, sent };
}
