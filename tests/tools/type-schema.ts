/** A published schema from the type of what the program writes, so that the two cannot differ. Objects are open: a later version may add fields. */
import path from 'node:path';
import ts from 'typescript';

type Schema = Record<string, unknown>;

const root = path.resolve(import.meta.dirname, '../..');
const ANYTHING = ['Json', 'JsonObject'];

interface Published {
  /** In `schemas/`. */
  readonly file: string;
  readonly title: string;
  readonly source: string;
  readonly type: string;
}

export const PUBLISHED: readonly Published[] = [
  {
    ...{ file: 'events.schema.json', title: 'A line of --json' },
    ...{ source: 'engine/report/ndjson.ts', type: 'JsonLine' },
  },
  {
    ...{ file: 'document.schema.json', title: 'A plan or a report as --format json' },
    ...{ source: 'engine/report/document/document.ts', type: 'Document' },
  },
];

export function typeSchema({ title, source, type }: Published): Schema {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram([path.join(root, source)], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path.join(root, source));
  const [symbol] = checker
    .getExportsOfModule(checker.getSymbolAtLocation(file as ts.SourceFile) as ts.Symbol)
    .filter(({ name }) => name === type);
  const defs: Record<string, Schema> = {};
  const written = new Writer(checker, defs).inline(checker.getDeclaredTypeOfSymbol(symbol as ts.Symbol));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: `Generated from ${source} by \`npm run docs\`; do not edit.`,
    title,
    ...written,
    $defs: Object.fromEntries(Object.entries(defs).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

class Writer {
  private readonly names = new Map<string, ts.Symbol>();

  constructor(
    readonly checker: ts.TypeChecker,
    readonly defs: Record<string, Schema>,
  ) {}

  /** A reference where the type has a name, else the schema itself. */
  of(type: ts.Type): Schema {
    const name = this.nameOf(type);
    if (name === undefined) return this.inline(type);
    if (ANYTHING.includes(name)) return {};
    const symbol = type.aliasSymbol ?? type.symbol;
    if (this.names.get(name) !== symbol && this.defs[name] !== undefined)
      throw new Error(`two types are called ${name}, which a schema cannot tell apart: rename one`);
    if (this.defs[name] === undefined) {
      this.names.set(name, symbol);
      this.defs[name] = {};
      this.defs[name] = this.inline(type);
    }
    return { $ref: `#/$defs/${name}` };
  }

  inline(type: ts.Type): Schema {
    if (type.isUnion()) return this.union(type.types);
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' };
    if (type.flags & ts.TypeFlags.String) return { type: 'string' };
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' };
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (this.checker.isArrayLikeType(type))
      return { type: 'array', items: this.of(this.checker.getIndexTypeOfType(type, ts.IndexKind.Number) as ts.Type) };
    const values = this.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (values !== undefined) return { type: 'object', additionalProperties: this.of(values) };
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.object(type);
    throw new Error(`no schema for the type ${this.checker.typeToString(type)}`);
  }

  private union(types: readonly ts.Type[]): Schema {
    const wanted = types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    const texts = wanted.flatMap((type) => (type.isStringLiteral() ? [type.value] : [])).sort();
    if (texts.length === wanted.length) return texts.length === 1 ? { const: texts[0] } : { enum: texts };
    if (wanted.every(({ flags }) => flags & ts.TypeFlags.BooleanLiteral))
      return wanted.length === 2 ? { type: 'boolean' } : this.inline(wanted[0] as ts.Type);
    if (wanted.length === 1) return this.of(wanted[0] as ts.Type);
    const all = wanted.map((type) => this.of(type));
    return all.some((one) => Object.keys(one).length === 0) ? {} : { anyOf: all };
  }

  private object(type: ts.Type): Schema {
    const all = this.checker.getPropertiesOfType(type);
    return {
      type: 'object',
      required: all.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional)).map(({ name }) => name),
      properties: Object.fromEntries(all.map((property) => [property.name, this.property(property)])),
    };
  }

  private property(property: ts.Symbol): Schema {
    const declaration = property.valueDeclaration;
    // As it is written: the checker's own type has lost the names of unions.
    const written =
      declaration !== undefined && ts.isPropertySignature(declaration) && declaration.type !== undefined
        ? this.checker.getTypeFromTypeNode(declaration.type)
        : this.checker.getTypeOfSymbol(property);
    const description = ts.displayPartsToString(property.getDocumentationComment(this.checker));
    return description === '' ? this.of(written) : { description, ...this.of(written) };
  }

  /** Of an event, its code. */
  private nameOf(type: ts.Type): string | undefined {
    const code = type.isUnion() ? undefined : this.checker.getPropertyOfType(type, 'e');
    const literal = code === undefined ? undefined : this.checker.getTypeOfSymbol(code);
    if (literal?.isStringLiteral() === true) return literal.value;
    const { aliasSymbol, symbol } = type;
    if (aliasSymbol !== undefined) return type.aliasTypeArguments === undefined ? aliasSymbol.name : undefined;
    const isInterface = (type as ts.ObjectType).objectFlags & ts.ObjectFlags.Interface;
    return type.flags & ts.TypeFlags.Object && isInterface ? symbol.name : undefined;
  }
}
