/**
 * The processes that one start began on this machine, as one of them sees the others. They share nothing but the
 * database: what they say to each other passes through the process that started them.
 */
export type Peers = {
  /** The name of this process, or null where it is the only one. */
  name: string | null;
  /** Tells every other process. */
  tell(topic: string, content: unknown): void;
  /** Takes what the others tell. */
  hear(topic: string, take: (content: unknown) => void): void;
  /** Asks every process, this one included. The answer of one that stays silent is undefined. */
  ask(question: string): Promise<Map<string, unknown>>;
  /** Answers what is asked. */
  answer(question: string, answer: () => Promise<unknown>): void;
};

/** Without other processes. */
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
