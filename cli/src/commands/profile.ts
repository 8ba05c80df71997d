import type { Command } from 'commander';
import { addExamples } from '../input/examples.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';
import { isRecord } from '../session/private-file.js';
import { moveProfile, nameInUse, unknownProfile } from '../session/profile.js';
import { changeProfilesFile, type ProfilesFile, readProfilesFile } from '../session/profiles-file.js';

type SavedProfile = { name: string; in_use: boolean; client_id: unknown; tenant_id: unknown; base_url: unknown };

const view: View<SavedProfile> = {
  id: ({ name }) => name,
  columns: ['name', 'in_use', 'client_id', 'tenant_id', 'base_url'],
};

export function addProfile(program: Command, invocation: Invocation): void {
  const { context } = invocation;
  const group = program.command('profile').description('The saved profiles.').helpCommand(false);
  const change = async (name: string, edit: (file: ProfilesFile) => ProfilesFile) =>
    changeProfilesFile(context, (file) => {
      if (!Object.hasOwn(file.profiles, name)) throw unknownProfile(name, file.profiles);
      return edit(file);
    });

  addExamples(group.command('list'), ['topctl profile list'])
    .summary('List the saved profiles.')
    .description('Lists the profiles that "topctl login" saved, without their secrets.')
    .action(async () => {
      const file = await readProfilesFile(context);
      const inUse = nameInUse(context, invocation.flags, file);
      const saved = Object.entries(file.profiles).map(([name, profile]) => {
        const { client_id = null, tenant_id = null, base_url = null } = isRecord(profile) ? profile : {};
        return { name, in_use: name === inUse, client_id, tenant_id, base_url };
      });
      await invocation.printItems(saved, view, { limit: saved.length, all: true });
    });
  addExamples(group.command('use'), ['topctl profile use admin'])
    .summary('Choose the profile that needs no flag.')
    .description('Chooses the profile that topctl uses without --profile, until another one is chosen.')
    .argument('<name>', 'The profile.')
    .action(async (name: string) => {
      await change(name, ({ profiles }) => ({ profiles, current: name }));
      invocation.note(`topctl now uses the profile ${name}.`);
      if (nameInUse(context, {}, { current: name }) !== name) {
        invocation.note('But TOP_CLIENT_ID, TOP_PROFILE or TOP_PROFILE_FILE is set, and takes precedence.');
      }
    });
  addExamples(group.command('move'), ['topctl profile move admin https://cell-b.example.com'])
    .summary('Change the address of a saved profile.')
    .description('Changes the address of a saved profile, after the operator has moved its tenant to another platform.')
    .argument('<name>', 'The profile.')
    .argument('<base_url>', 'The address of the platform.')
    .action(async (name: string, baseUrl: string) => {
      await moveProfile(context, name, baseUrl);
      invocation.note(`The profile ${name} now leads to ${baseUrl}.`);
    });
  addExamples(group.command('remove'), ['topctl profile remove admin'])
    .summary('Remove a saved profile.')
    .description('Removes a profile with its secret from this machine. The credential stays valid.')
    .argument('<name>', 'The profile.')
    .action(remove);
  addExamples(program.command('logout'), ['topctl logout', 'topctl logout --profile admin'])
    .summary('Remove the profile in use.')
    .description(
      'Removes the profile in use, or --profile, with its secret from this machine. The credential stays valid.',
    )
    .action(async () => {
      const name = nameInUse(context, invocation.flags, await readProfilesFile(context));
      if (name !== undefined) return remove(name);
      throw invocation.usageError('the credential comes from a file or the environment: there is no profile to remove');
    });

  async function remove(name: string): Promise<void> {
    await invocation.confirm(`Remove the profile ${name} with its secret from this machine?`);
    await change(name, ({ profiles: { [name]: _, ...profiles }, current }) => ({
      profiles,
      current: current === name ? 'default' : current,
    }));
    invocation.note(
      `The profile ${name} is removed. To end its credential: topctl credentials update --status DISABLED`,
    );
  }
}
