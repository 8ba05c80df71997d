import { astToString, type SchemaObject, tsLiteral, tsUnion } from 'openapi-typescript';
import ts from 'typescript';
import type { Api, Operation } from './document.js';
import { bodyOf } from './resources.js';

const { factory } = ts;
const PAGE_QUERY = 'PageQuery';

/**
 * An interface per schema and query, and a table of the operations with their types. openapi-typescript turns the
 * schemas into types; here each type gets its own name.
 */
export function renderTypes({ operations, requests, pages }: Api, generated: ts.Node[]): string {
  const described = membersOf(declarationOf(generated, 'operations'));
  const queryOf = ({ name }: Operation) =>
    membersOf(membersOf(described.get(name)?.type).get('parameters')?.type).get('query')?.type;

  const declarations = namedTypes(generated, requests, (name) => !pages.has(name));
  const queries: ts.Node[] = [];
  for (const operation of operations) {
    const query = queryOf(operation);
    if (operation.query && query) queries.push(requestType(operation.query.type, query, oneOrMore));
  }
  const page = queries.filter(ts.isInterfaceDeclaration).find(isOfPage);
  if (page) queries.unshift(named(PAGE_QUERY, factory.createTypeLiteralNode(page.members)));
  extendOneAnother(queries);
  declarations.push(...queries);
  return `${textOf(declarations)}
/** The request and the answer of each operation. A list answers pages of its answer. */
export interface Operations {
${operations.map((operation) => `  '${operation.name}': ${typesOf(operation)};`).join('\n')}
}

/** list: the query of a list, which answers pages. keyed body: safe to repeat by the header Idempotency-Key. */
export type Takes = 'body' | 'keyed body' | 'query' | 'list';

/** The method and the path of each operation, and what a call takes after the ids of the path. */
export const operations: { readonly [Name in keyof Operations]: readonly [method: string, path: string, takes?: Takes] } = {
${operations.map((operation) => `  '${operation.name}': ${rowOf(operation)},`).join('\n')}
};
`;
}

/** An interface per message of the bus that an adapter reads or sends. `sent` are the types that it sends. */
export const renderMessages = (generated: ts.Node[], sent: Set<string>): string =>
  textOf(namedTypes(generated, sent, () => true));

/** A named type per schema. Only the enums of `closed` types are closed. */
function namedTypes(generated: ts.Node[], closed: Set<string>, isWanted: (name: string) => boolean): ts.Node[] {
  const schemas = membersOf(membersOf(declarationOf(generated, 'components')).get('schemas')?.type);
  const declarations: ts.Node[] = [];
  for (const [name, member] of schemas) {
    const { type } = member;
    if (!type || !isWanted(name)) continue;
    const declaration = closed.has(name) ? requestType(name, type) : answerType(name, type);
    declarations.push(withPlainComment(declaration, member));
  }
  extendOneAnother(declarations);
  return declarations;
}

const declarationOf = (generated: ts.Node[], name: string) =>
  generated.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name);

const textOf = (declarations: ts.Node[]) =>
  astToString(declarations as ts.TypeElement[]).replace(/^ +/gm, (indent) => ' '.repeat(indent.length / 2));

/** A list that takes nothing else has the fields that almost every list takes. */
const isOfPage = (query: ts.InterfaceDeclaration) => [...membersOf(query).keys()].join() === 'limit,cursor';

/** The members of an interface or a type literal, by name. */
const membersOf = (node: ts.Node | undefined): Map<string, ts.PropertySignature> =>
  new Map(
    (node && (ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node)) ? [...node.members] : [])
      .filter(ts.isPropertySignature)
      .map((member) => [(member.name as ts.Identifier | ts.StringLiteral).text, member]),
  );

function typesOf({ parameters, query, body, answer }: Operation): string {
  const request = [
    parameters.length > 0 && `path: [${parameters.map((name) => `${name}: string`).join(', ')}]`,
    query && (query.isRequired ? `query: ${query.type}` : `query?: ${query.type} | undefined`),
    body && `body${body.isRequired ? '' : '?'}: ${body.type}`,
  ];
  return `{ request: { ${request.filter(Boolean).join('; ')} }; answer: ${answer} }`;
}

function rowOf(operation: Operation): string {
  const { method, path, repeat, query, isList } = operation;
  const ofBody = bodyOf(operation) && (repeat === 'BY_HEADER' ? 'keyed body' : 'body');
  const takes = ofBody ?? (query && (isList ? 'list' : 'query'));
  return `['${method}', '${path}'${takes ? `, '${takes}'` : ''}]`;
}

/** A named type of a request. Its enums are closed: the platform accepts these values and no others. */
const requestType = (name: string, type: ts.TypeNode, onList = (list: ts.ArrayTypeNode): ts.TypeNode => list) =>
  named(
    name,
    rewrite(type, (union) => union, onList),
  );

/** A query joins a list by commas, so one value is the same as a list of it. */
const oneOrMore = (list: ts.ArrayTypeNode) => factory.createUnionTypeNode([list.elementType, list]);

/** A named type of an answer. Its enums are open: they may gain values within /api/v1. */
const answerType = (name: string, type: ts.TypeNode) => named(name, rewrite(type, openEnum));

/** An interface where possible: editors then show its name instead of its fields. */
function named(name: string, type: ts.TypeNode): ts.Node {
  const exported = [factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const [base, own] = ts.isIntersectionTypeNode(type) ? type.types : [undefined, type];
  if (own && ts.isTypeLiteralNode(own) && (!base || ts.isTypeReferenceNode(base))) {
    return factory.createInterfaceDeclaration(
      exported,
      name,
      undefined,
      base && [heritage(base.typeName)],
      own.members,
    );
  }
  return factory.createTypeAliasDeclaration(exported, name, undefined, type);
}

function heritage(base: ts.EntityName): ts.HeritageClause {
  const name = factory.createExpressionWithTypeArguments(base as ts.Identifier, undefined);
  return factory.createHeritageClause(ts.SyntaxKind.ExtendsKeyword, [name]);
}

/** A type with all fields of another extends it, so that the fields and their comments are published once. */
function extendOneAnother(declarations: ts.Node[]): void {
  const interfaces = declarations.filter(ts.isInterfaceDeclaration).map((node) => ({
    node,
    isPage: node.name.text === PAGE_QUERY,
    members: new Map(node.members.map((member) => [astToString([member] as ts.TypeElement[]), member])),
  }));
  for (const { node, isPage, members } of interfaces) {
    if (isPage) continue;
    const [base] = interfaces
      .filter(
        (other) =>
          (other.isPage || other.members.size < members.size) &&
          [...other.members.keys()].every((text) => members.has(text)),
      )
      .sort((one, other) => other.members.size - one.members.size);
    if (!base || (!base.isPage && base.members.size < 4)) continue;
    const own = [...members].filter(([text]) => !base.members.has(text)).map(([, member]) => member);
    declarations[declarations.indexOf(node)] = factory.createInterfaceDeclaration(
      node.modifiers,
      node.name,
      undefined,
      [heritage(base.node.name)],
      own,
    );
  }
}

function rewrite(
  root: ts.TypeNode,
  onUnion: (node: ts.UnionTypeNode) => ts.TypeNode,
  onList = (node: ts.ArrayTypeNode): ts.TypeNode => node,
): ts.TypeNode {
  const visit = (node: ts.Node): ts.Node => {
    const schema = referenced(node);
    if (schema) return factory.createTypeReferenceNode(schema);
    const visited = ts.visitEachChild(node, visit, undefined);
    if (ts.isPropertySignature(visited)) return withPlainComment(visited, node);
    if (ts.isArrayTypeNode(visited)) return onList(visited);
    return ts.isUnionTypeNode(visited) ? onUnion(visited) : visited;
  };
  return visit(root) as ts.TypeNode;
}

/** The name in `components["schemas"]["Name"]`. */
function referenced(node: ts.Node): string | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) return undefined;
  const { indexType } = node;
  return ts.isLiteralTypeNode(indexType) && ts.isStringLiteral(indexType.literal) ? indexType.literal.text : undefined;
}

/** `'A' | 'B' | (string & {})`: any text is allowed, and editors still suggest the known values. */
function openEnum(union: ts.UnionTypeNode): ts.TypeNode {
  return union.types.every(isText) ? factory.createUnionTypeNode([...union.types, anyText()]) : union;
}

const anyText = () =>
  factory.createIntersectionTypeNode([
    factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
    factory.createTypeLiteralNode([]),
  ]);

type ListedText = SchemaObject & { 'x-known-values'?: string; 'x-extensible-enum'?: string[] };

/**
 * A text whose known values editors suggest: an enum of answers, and in a request a text of which the platform refuses
 * unknown values with a code.
 */
export function knownValues(schema: SchemaObject): ts.TypeNode | undefined {
  const { 'x-known-values': name, 'x-extensible-enum': values } = schema as ListedText;
  if (values) return tsUnion(values.map(tsLiteral));
  return name ? factory.createTypeReferenceNode(name) : undefined;
}

/** openapi-typescript writes a text literal as an identifier in quotes. */
const isText = (type: ts.Node) => ts.isIdentifier(type) && type.text.startsWith('"');

/** openapi-typescript writes tags, `@description …`. The plain text is more readable on hover. */
function withPlainComment<Node extends ts.Node>(node: Node, original: ts.Node): Node {
  const [comment] = ts.getSyntheticLeadingComments(original) ?? [];
  const text = comment && /@description ([^@]*)/.exec(comment.text)?.[1];
  const lines = text?.split('\n').map((line) => line.replace(/^ *\* ?/, '').trim()) ?? [];
  const plain = lines.filter((line) => line !== '').join(' ');
  return ts.setSyntheticLeadingComments(
    node,
    plain
      ? [
          {
            kind: ts.SyntaxKind.MultiLineCommentTrivia,
            pos: -1,
            end: -1,
            hasTrailingNewLine: true,
            text: `* ${plain} `,
          },
        ]
      : undefined,
  );
}
