import { Document, visit } from 'yaml';
import { escapeForYaml, isUnsafeInDocument } from './printable.js';

/** Only strings in double quotes have escapes in YAML. */
export function toYaml(value: object): string {
  const document = new Document(value);
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && isUnsafeInDocument(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeForYaml(document.toString());
}
