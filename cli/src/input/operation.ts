import type { Operations, TenantOpenPlatform } from '@tenant-open-platform/sdk';
import type { operations, resources } from '../operations.gen.js';
import type { Page, View } from '../output/render.js';
import type { Session } from '../session/session.js';
import type { Field, ValuesOf } from './field.js';

export type None = Record<never, never>;
export type OperationName = keyof typeof operations & keyof Operations;
export type Resource = keyof typeof resources;
export type VerbOf<R extends Resource> = OperationName extends infer Name
  ? Name extends `${R}.${infer Verb}`
    ? Verb
    : never
  : never;
export type NameOf<R extends Resource, Verb extends string> = Extract<OperationName, `${R}.${Verb}`>;
type FieldName<Name extends OperationName> = keyof (typeof operations)[Name]['fields'] & string;
type PathName<Name extends OperationName> = keyof (typeof operations)[Name]['path'] & string;

/** The body of a request, or its query. */
type Sent<Name extends OperationName> = Operations[Name]['request'] extends { body: infer Body }
  ? Body
  : Operations[Name]['request'] extends { query?: infer Query }
    ? NonNullable<Query>
    : None;

/** The values that a command needs to call the platform. */
export type Call<Name extends OperationName, Flags = None, Arguments = None> = {
  client: TenantOpenPlatform;
  session: Session;
  /** The ids in the path. `tenant_id` comes from --tenant or from the profile. */
  path: Record<PathName<Name>, string>;
  args: Record<keyof Arguments, string>;
  input: Sent<Name> & ValuesOf<Flags>;
  /** How much of a list to print. */
  page: Page;
};

/** The part of a call that a question can name before anything is sent. */
type Asked<C extends Pick<AnyCall, 'path' | 'args' | 'input'>> = Pick<C, 'path' | 'args' | 'input'> & {
  /** The credential that calls. */
  clientId: string;
};

type Answer<Name extends OperationName> = Name extends `${string}.list`
  ? AsyncIterable<Operations[Name]['answer']>
  : PromiseLike<Operations[Name]['answer']>;

/** The additions of the command line to an operation of the contract. */
export type Definition<Name extends OperationName, Flags = None, Arguments = None> = {
  /** The name of the command, if it is not the verb of the operation. */
  as?: string;
  /** Help texts that replace the descriptions of the contract. */
  summary?: string;
  description?: string;
  /** Examples of the help, besides the example of the contract. Without it if the command has another name. */
  examples?: readonly string[];
  /** Fields that differ from the contract; null for a field without a flag. */
  fields?: { [F in FieldName<Name>]?: Partial<Field> | null };
  /** The fields of the contract that are flags. Default: all. */
  only?: readonly FieldName<Name>[];
  /** Flags that are not fields of the contract. */
  flags?: Flags;
  /** Arguments that are not ids of the path, with their descriptions. */
  args?: Arguments;
  /** Returns a problem that concerns several flags. */
  check?: (input: Partial<Sent<Name>> & ValuesOf<Flags>) => string | undefined;
  /** Fields that are required because of other fields. */
  requires?: (input: Partial<Sent<Name>> & ValuesOf<Flags>) => readonly (FieldName<Name> | (keyof Flags & string))[];
  /** A list without an end: it has no --limit and no --all. */
  isEndless?: true;
  /** The question that the user must confirm before the call. */
  confirm?: {
    when?: (input: Partial<Sent<Name>>) => boolean;
    question: (asked: Asked<Call<Name, Flags, Arguments>>, tenant: string) => string;
  };
} & (
  | { view: View<Operations[Name]['answer']>; call: (call: Call<Name, Flags, Arguments>) => Answer<Name> }
  | { run: (call: Call<Name, Flags, Arguments>) => Promise<void> }
);

/** An operation of the contract, whatever its types. */
export type Described = {
  summary: string;
  description: string;
  scope: string | null;
  tenant: 'own' | 'path' | 'platform';
  /** Whether the header Idempotency-Key makes it safe to repeat. */
  isKeyed: boolean;
  example: string;
  path: Readonly<Record<string, string>>;
  fields: Readonly<Record<string, Field>>;
};

/** A definition and its call, whatever their types. */
export type AnyCall = {
  client: TenantOpenPlatform;
  session: Session;
  path: Record<string, string | undefined>;
  args: Record<string, string | undefined>;
  input: Record<string, unknown>;
  page: Page;
};
export type AnyDefinition = {
  as?: string;
  summary?: string;
  description?: string;
  examples?: readonly string[];
  args?: Record<string, string>;
  fields?: Record<string, Partial<Field> | null | undefined>;
  only?: readonly string[];
  flags?: Record<string, Field>;
  isEndless?: true;
  check?: (input: object) => string | undefined;
  requires?: (input: object) => readonly string[];
  confirm?: { when?: (input: object) => boolean; question: (asked: Asked<AnyCall>, tenant: string) => string };
  view: View<object>;
  call: (call: AnyCall) => unknown;
  run?: (call: AnyCall) => Promise<void>;
};
