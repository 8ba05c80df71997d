/** The processes of one start. Their messages pass through the process that started them. */
export type Peers = {
  /** The name of this process; null if it is the only one. */
  name: string | null;
  /** Sends to every other process. */
  tell(topic: string, content: unknown): void;
  /** Handles the messages of the other processes. */
  hear(topic: string, take: (content: unknown) => void): void;
  /** Asks every process, including this one. The answer of a silent process is undefined. */
  ask(question: string): Promise<Map<string, unknown>>;
  /** Answers the questions of other processes. */
  answer(question: string, answer: () => Promise<unknown>): void;
};

/** For a single process. */
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
