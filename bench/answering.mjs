import { createServer } from 'node:http';

// Answers every request at once with the record of a command, so that only the caller is measured. A path with `silent`
// is never answered.
const record = JSON.stringify({
  command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
  status: 'SUCCEEDED',
  completed_at: '2026-01-31T09:30:03.535Z',
  request_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6e',
});

const server = createServer((request, response) => {
  request.resume();
  if (request.url.includes('silent')) return;
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': record.length }).end(record);
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ type: 'ready', base_url: `http://127.0.0.1:${server.address().port}` });
});
