import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString, type SchemaObject, type TransformNodeOptions } from 'openapi-typescript';
import ts from 'typescript';

const source = new URL('../../contract/openapi.json', import.meta.url);
const target = new URL('../src/api.gen.ts', import.meta.url);

const ast = await openapiTS(JSON.parse(await readFile(source, 'utf8')), { transform: openEnum });
await writeFile(target, `// Generated from contract/openapi.json by \`pnpm golden\`.\n${astToString(ast)}`);

/** An enum in an answer may gain values within /api/v1; one in a request is what the server accepts, and stays closed. */
function openEnum(schema: SchemaObject, { path = '' }: TransformNodeOptions): ts.TypeNode | undefined {
  if (/\/schemas\/(\w+(Create|Update|Put)|PresignRequest)(\/|$)|\/parameters\//.test(path)) return undefined;
  if (schema.enum) return openUnion(schema.enum);
  const items = 'items' in schema ? schema.items : undefined;
  return items && 'enum' in items && items.enum ? ts.factory.createArrayTypeNode(openUnion(items.enum)) : undefined;
}

/** `'A' | 'B' | (string & {})`: any text is allowed, and editors still suggest the known ones. */
function openUnion(values: unknown[]): ts.TypeNode {
  const known = values.map((value) => ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(String(value))));
  const unknown = ts.factory.createIntersectionTypeNode([
    ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
    ts.factory.createTypeLiteralNode([]),
  ]);
  return ts.factory.createUnionTypeNode([...known, unknown]);
}
