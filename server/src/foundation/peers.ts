import { setTimeout as delay } from 'node:timers/promises';

/** The processes of one start. Their messages pass through the process that started them. */
export type Peers = {
  /** The name of this process; null if it is the only one. */
  name: string | null;
  /** Sends to every other process. */
  tell(topic: string, content: unknown): void;
  /** Handles the messages of the other processes. */
  hear(topic: string, take: (content: unknown) => void): void;
  /** Asks every process, including this one. The answer of a silent process is undefined. */
  ask(question: string, withinMs?: number): Promise<Map<string, unknown>>;
  /** Answers the questions of other processes. */
  answer(question: string, answer: () => Promise<unknown>): void;
};

export function noPeers(): Peers {
  const answers = new Map<string, () => Promise<unknown>>();
  return {
    name: null,
    tell() {},
    hear() {},
    ask: async (question) => new Map([['', await answers.get(question)?.()]]),
    answer: (question, answer) => void answers.set(question, answer),
  };
}

/** A message from one process to another, or to all others if `to` is absent. */
export type Said = { type: 'said'; from: string; to?: string } & (
  | { topic: string; content: unknown }
  | { question: string; id: number }
  | { answered: number; content: unknown }
);

/** Longer than a process needs to find that the database does not answer. */
const ANSWER_WITHIN_MS = 6_000;

/** Reaches the other processes through the process that started them all (`supervise.ts`). */
export function peersByIpc(name: string): Peers {
  const topics = new Map<string, (content: unknown) => void>();
  const answers = new Map<string, () => Promise<unknown>>();
  const waiting = new Map<number, Map<string, (content: unknown) => void>>();
  let names: string[] = [];
  let lastId = 0;

  const say = (said: object) => process.connected && process.send?.({ type: 'said', from: name, ...said });
  /** Undefined also if the process failed to answer or has not started yet. */
  const ownAnswer = async (question: string) =>
    answers
      .get(question)?.()
      .catch(() => undefined);

  process.on('message', (message: Said | { type: 'processes'; names: string[] }) => {
    if (message.type === 'processes') names = message.names.filter((other) => other !== name);
    if (message.type !== 'said') return;
    if ('topic' in message) topics.get(message.topic)?.(message.content);
    if ('question' in message) {
      const { id, from: to } = message;
      void ownAnswer(message.question).then((content) => say({ to, answered: id, content }));
    }
    if ('answered' in message) waiting.get(message.answered)?.get(message.from)?.(message.content);
  });

  return {
    name,
    tell: (topic, content) => void say({ topic, content }),
    hear: (topic, take) => void topics.set(topic, take),
    answer: (question, answer) => void answers.set(question, answer),
    async ask(question, withinMs = ANSWER_WITHIN_MS) {
      const id = ++lastId;
      const replies = new Map<string, (content: unknown) => void>();
      waiting.set(id, replies);
      const silence = delay(withinMs, undefined, { ref: false });
      const others = names.map(async (other): Promise<[string, unknown]> => {
        const reply = new Promise((resolve) => replies.set(other, resolve));
        return [other, await Promise.race([reply, silence])];
      });
      say({ question, id });
      const all = await Promise.all([...others, ownAnswer(question).then((own): [string, unknown] => [name, own])]);
      waiting.delete(id);
      return new Map(all);
    },
  };
}
