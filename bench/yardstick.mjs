import { contract } from '@tenant-open-platform/contract';
import { initContract } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import express from 'express';
import { v7 as uuid } from 'uuid';

// The yardstick for the platform: Express, ts-rest and zod on the contract's commands.create with ts-rest's defaults,
// without authentication and database.
const { create } = contract.commands;
const app = express();
app.use(express.json());
createExpressEndpoints(
  initContract().router({ create }),
  {
    create: async () => ({
      status: 202,
      body: { command_id: uuid(), status: 'ACCEPTED', accepted_at: new Date().toISOString(), request_id: uuid() },
    }),
  },
  app,
  { logInitialization: false },
);

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ type: 'ready', base_url: `http://127.0.0.1:${server.address().port}` });
});
