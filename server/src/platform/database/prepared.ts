import type postgres from 'postgres';

/**
 * Prepares every statement on its first use. Without it, the driver asks Postgres for the types of the parameters before
 * each execution: a round trip more. Postgres keeps a prepared statement as long as its connection, so this is for
 * statements whose texts are few: lists build theirs of the filters.
 */
export const preparing = <Client extends postgres.Sql | postgres.TransactionSql>(client: Client): Client =>
  new Proxy(client, {
    get(target, name) {
      if (name === 'unsafe') {
        return (text: string, values?: never[]) => target.unsafe(text, values, { prepare: true });
      }
      if (name === 'begin') {
        return (work: (tx: postgres.TransactionSql) => unknown) =>
          (target as postgres.Sql).begin((tx) => work(preparing(tx)));
      }
      return Reflect.get(target, name);
    },
  });
