import { setTimeout as delay } from 'node:timers/promises';

/** From one process to another, or to all others if `to` is absent. A question names the topic of its answers. */
export type Said = { type: 'said'; from: string; to?: string; topic: string; content?: unknown; answerTo?: string };

/** Longer than a process needs to find that the database does not answer. */
const ANSWER_WITHIN_MS = 6_000;

/** The processes of one start. Their messages pass through `supervise.ts`. The only process of a start has no name. */
export function createPeers(name: string | null = null) {
  const topics = new Map<string, (said: Said) => void>();
  const answers = new Map<string, () => Promise<unknown>>();
  let others: string[] = [];
  let lastId = 0;

  const say = (said: object) =>
    void (name !== null && process.connected && process.send?.({ type: 'said', from: name, ...said }));
  const hear = (topic: string, take: (content: unknown) => void) =>
    void topics.set(topic, ({ content }) => take(content));
  /** Undefined if the process failed to answer or has not started yet. */
  const ownAnswer = async (question: string) =>
    answers
      .get(question)?.()
      .catch(() => undefined);

  const receive = (said: Said) => {
    const { from: to, answerTo } = said;
    if (answerTo) void ownAnswer(said.topic).then((content) => say({ to, topic: answerTo, content }));
    else topics.get(said.topic)?.(said);
  };
  if (name !== null) process.on('message', receive);
  hear('processes', (names) => {
    others = (names as string[]).filter((other) => other !== name);
  });

  return {
    name,
    /** Sends to every other process. */
    tell: (topic: string, content: unknown) => say({ topic, content }),
    /** Handles the messages of the other processes. */
    hear,
    /** Answers the questions of other processes. */
    answer: (question: string, answer: () => Promise<unknown>) => void answers.set(question, answer),
    /** Asks every process, including this one. The answer of a silent process is undefined. */
    async ask(question: string, withinMs = ANSWER_WITHIN_MS): Promise<Map<string, unknown>> {
      const answerTo = `${question} ${++lastId}`;
      const replies = new Map<string, (content: unknown) => void>();
      topics.set(answerTo, ({ from, content }) => replies.get(from)?.(content));
      const silence = delay(withinMs, undefined, { ref: false });
      const all = others.map(async (other): Promise<[string, unknown]> => {
        const reply = new Promise((resolve) => replies.set(other, resolve));
        return [other, await Promise.race([reply, silence])];
      });
      say({ topic: question, answerTo });
      const own = ownAnswer(question).then((answer): [string, unknown] => [name ?? '', answer]);
      const answered = new Map(await Promise.all([...all, own]));
      topics.delete(answerTo);
      return answered;
    },
  };
}

export type Peers = ReturnType<typeof createPeers>;
