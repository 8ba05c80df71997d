import { expect, test } from 'vitest';
import { type Block, blocksOf, runPasted } from './documentation-blocks.js';

const blocks = blocksOf('README.md').filter(({ marked }) => marked === 'run-full');

test.each(['bash', 'sh'])(
  'the README sends a first command with openssl and curl alone, pasted into %s',
  async (shell) => {
    expect(blocks).toHaveLength(1);
    const lines = (await runPasted(blocks[0] as Block, { shell })).split('\n');
    const [accepted, command] = lines.map((line) => JSON.parse(line));
    expect(accepted).toMatchObject({ status: 'ACCEPTED' });
    expect(command).toMatchObject({ command_id: accepted.command_id, device_id: 'ok-1', status: 'SUCCEEDED' });
  },
);
