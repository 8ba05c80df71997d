import { type Fields, keyOf, kinds, type ListName } from './kinds.js';

/** A thing that a file names. */
export type Wanted = {
  list: ListName;
  key: string;
  /** In messages: `command type vendor_a/reboot`. */
  label: string;
  /** The fields that the file gives, without the lists in it. */
  fields: Fields;
  lists: WantedLists;
  /** The file and the line. */
  place: string;
};

export type WantedLists = ReadonlyMap<ListName, readonly Wanted[]>;

export type Path = readonly (string | number)[];

export const labelOf = (list: ListName, parents: readonly string[], key: string) =>
  `${kinds[list].name} ${[...parents, key].join('/')}`;

/** The lists of a document, or of a thing in it. `placeOf`: the file and the line of a part of the document. */
export function wantedLists(
  names: readonly ListName[],
  given: Fields,
  placeOf: (path: Path) => string,
  path: Path = [],
  parents: readonly string[] = [],
): WantedLists {
  const present = names.filter((list) => given[list] !== undefined);
  return new Map(
    present.map((list) => {
      const kind = kinds[list];
      const things = (given[list] as Fields[]).map((item, index): Wanted => {
        const key = keyOf(kind, item);
        const at = [...path, list, index];
        const lists = wantedLists(kind.lists ?? [], item, placeOf, at, [...parents, key]);
        const fields = Object.fromEntries(Object.entries(item).filter(([name]) => !lists.has(name as ListName)));
        return { list, key, label: labelOf(list, parents, key), fields, lists, place: placeOf(at) };
      });
      return [list, things];
    }),
  );
}

/** What all documents want together. */
export function merged(names: readonly ListName[], documents: readonly WantedLists[]): WantedLists {
  const present = names.filter((list) => documents.some((document) => document.has(list)));
  return new Map(present.map((list) => [list, documents.flatMap((document) => document.get(list) ?? [])]));
}

/** A line for each thing that is named twice. */
export function duplicatesIn(lists: WantedLists): string[] {
  const first = new Map<string, Wanted>();
  const problems: string[] = [];
  const visit = (things: readonly Wanted[]) => {
    for (const thing of things) {
      const { isGlobal, name } = kinds[thing.list];
      // The platform tells client ids apart without regard to case.
      const identity = isGlobal ? `${name} ${thing.key.toLowerCase()}` : thing.label;
      const other = first.get(identity);
      if (other) problems.push(`${thing.place}: ${thing.label} is already in ${other.place}`);
      else first.set(identity, thing);
      for (const below of thing.lists.values()) visit(below);
    }
  };
  for (const things of lists.values()) visit(things);
  return problems;
}
