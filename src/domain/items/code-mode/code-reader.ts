import type { AnyNode, Function as Callable, CallExpression, TemplateLiteral } from 'acorn';
import type { Json } from '../../json.ts';
import {
  constant,
  isRawTag,
  itemsIn,
  jsonOf,
  literal,
  memberOf,
  partOf,
  promised,
  Scope,
  type Value,
  written,
} from './value.ts';

/** A call of a tool in a script. */
export type CodeCall = {
  name: string;
  /** Null where it is not known; of an object what is known. */
  input: Json;
  /** It stands in no branch, and in nothing that is caught. */
  isCertain: boolean;
};

/** More than a model writes; a loop in a loop would otherwise never end. */
const MOST_STEPS = 50_000;
const MOST_CALLS = 100;
const MOST_PRINTS = 500;
/** So many characters that are put together, or members of a list, are a step. */
const PER_STEP = 100;
const LONGEST_LIST = 10_000;

/** Follows a script and notes which tools it calls and what it prints (see `readCode`). */
export class CodeReader {
  readonly calls: CodeCall[] = [];
  readonly prints: (Value | undefined)[] = [];
  #steps = 0;
  #doubts = 0;

  read(body: readonly AnyNode[], scope: Scope): void {
    for (const node of body) {
      if (node.type === 'FunctionDeclaration' && node.id !== null) {
        scope.declare(node.id.name, { kind: 'function', code: node, scope });
      }
    }
    for (const node of body) this.#statement(node, scope);
  }

  #statement(node: AnyNode, scope: Scope): void {
    this.#step();
    switch (node.type) {
      case 'ExpressionStatement':
        this.#value(node.expression, scope);
        return;
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) {
          this.#bind(id, init ? this.#value(init, scope) : undefined, scope);
        }
        return;
      case 'BlockStatement':
        this.read(node.body, new Scope(scope));
        return;
      case 'IfStatement':
        this.#value(node.test, scope);
        this.#inDoubt(() => {
          this.#statement(node.consequent, scope);
          if (node.alternate) this.#statement(node.alternate, scope);
        });
        return;
      case 'TryStatement':
        this.#inDoubt(() => {
          this.#statement(node.block, scope);
          if (node.handler) this.read(node.handler.body.body, new Scope(scope));
        });
        if (node.finalizer) this.#statement(node.finalizer, scope);
        return;
      case 'ForOfStatement': {
        const items = itemsIn(this.#value(node.right, scope));
        const once = (item: Value | undefined) => {
          const inner = new Scope(scope);
          const { left } = node;
          const target = left.type === 'VariableDeclaration' ? left.declarations[0]?.id : left;
          if (target !== undefined) this.#bind(target, item, inner);
          this.#statement(node.body, inner);
        };
        if (items === null) this.#inDoubt(() => once(undefined));
        else for (const item of items) once(item);
        return;
      }
      case 'ForStatement':
      case 'ForInStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        // How often, nobody knows.
        this.#inDoubt(() => this.#statement(node.body, new Scope(scope)));
        return;
      case 'SwitchStatement':
        this.#inDoubt(() => {
          for (const { consequent } of node.cases) this.read(consequent, new Scope(scope));
        });
        return;
      case 'LabeledStatement':
        this.#statement(node.body, scope);
        return;
      case 'ReturnStatement':
      case 'ThrowStatement':
        if (node.argument) this.#value(node.argument, scope);
        return;
      default:
        return;
    }
  }

  #value(node: AnyNode, scope: Scope): Value | undefined {
    this.#step();
    switch (node.type) {
      case 'Literal':
        return literal(node.value);
      case 'TemplateLiteral':
        return this.#template(node, (text) => text.cooked ?? text.raw, scope);
      case 'TaggedTemplateExpression':
        return isRawTag(node.tag) ? this.#template(node.quasi, ({ raw }) => raw, scope) : undefined;
      case 'Identifier':
        return scope.get(node.name);
      case 'ArrayExpression':
        return this.#list(
          node.elements.flatMap((element) => {
            if (element === null) return [undefined];
            if (element.type !== 'SpreadElement') return [this.#value(element, scope)];
            return itemsIn(this.#value(element.argument, scope)) ?? [];
          }),
        );
      case 'ObjectExpression':
        return this.#object(node.properties, scope);
      case 'AwaitExpression':
      case 'UnaryExpression':
      case 'SpreadElement': {
        const value = this.#value(node.argument, scope);
        if (node.type !== 'UnaryExpression') return value;
        const json = node.operator === '-' ? this.#json(value) : undefined;
        return typeof json === 'number' ? constant(-json) : undefined;
      }
      case 'ChainExpression':
        return this.#value(node.expression, scope);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return { kind: 'function', code: node, scope };
      case 'MemberExpression': {
        const of = this.#value(node.object, scope);
        return memberOf(of, this.#key(node.property, node.computed, scope));
      }
      case 'BinaryExpression': {
        const left = node.left.type === 'PrivateIdentifier' ? null : this.#value(node.left, scope);
        const right = this.#value(node.right, scope);
        return node.operator === '+' && left !== null ? this.#written([left, right]) : undefined;
      }
      case 'LogicalExpression': {
        const left = this.#value(node.left, scope);
        const right = this.#inDoubt(() => this.#value(node.right, scope));
        return left ?? right;
      }
      case 'ConditionalExpression': {
        this.#value(node.test, scope);
        const [yes, no] = this.#inDoubt(() => [
          this.#value(node.consequent, scope),
          this.#value(node.alternate, scope),
        ]);
        return yes?.kind === 'json' ? (no ?? yes) : (yes ?? no);
      }
      case 'SequenceExpression':
        return node.expressions.map((expression) => this.#value(expression, scope)).at(-1);
      case 'AssignmentExpression': {
        const right = this.#value(node.right, scope);
        if (node.operator === '=') {
          if (node.left.type === 'Identifier') scope.assign(node.left.name, right);
          else if (node.left.type !== 'MemberExpression') this.#bind(node.left, right, scope);
          return right;
        }
        if (node.left.type !== 'Identifier') return undefined;
        const { name } = node.left;
        const value = node.operator === '+=' ? this.#written([scope.get(name), right]) : undefined;
        scope.assign(name, value);
        return value;
      }
      case 'NewExpression':
        for (const argument of node.arguments) this.#value(argument, scope);
        return undefined;
      case 'CallExpression':
        return this.#call(node, scope);
      default:
        return undefined;
    }
  }

  #template(
    { quasis, expressions }: TemplateLiteral,
    textOf: (text: TemplateLiteral['quasis'][number]['value']) => string,
    scope: Scope,
  ): Value {
    const pieces = quasis.flatMap(({ value }, at) => {
      const next = expressions[at];
      const text = constant(textOf(value));
      return next === undefined ? [text] : [text, this.#value(next, scope)];
    });
    return this.#written(pieces);
  }

  #object(
    properties: Extract<AnyNode, { type: 'ObjectExpression' }>['properties'],
    scope: Scope,
  ): Value {
    const fields = new Map<string, Value | undefined>();
    for (const property of properties) {
      if (property.type === 'SpreadElement') {
        const spread = this.#value(property.argument, scope);
        const json = spread?.kind === 'object' ? undefined : this.#json(spread);
        if (spread?.kind === 'object') {
          for (const [key, value] of spread.fields) fields.set(key, value);
        } else if (typeof json === 'object' && json !== null && !Array.isArray(json)) {
          for (const [key, value] of Object.entries(json)) fields.set(key, constant(value));
        }
        continue;
      }
      const key = this.#key(property.key, property.computed, scope);
      const value = this.#value(property.value, scope);
      if (typeof key === 'string' || typeof key === 'number') fields.set(String(key), value);
    }
    return { kind: 'object', fields };
  }

  #key(node: AnyNode, isComputed: boolean, scope: Scope): Json | undefined {
    if (!isComputed && node.type === 'Identifier') return node.name;
    return node.type === 'PrivateIdentifier' ? undefined : this.#json(this.#value(node, scope));
  }

  #call(node: CallExpression, scope: Scope): Value | undefined {
    const { callee } = node;
    const given = node.arguments.flatMap((argument): (Value | undefined)[] => {
      if (argument.type !== 'SpreadElement') return [this.#value(argument, scope)];
      return [...(itemsIn(this.#value(argument.argument, scope)) ?? [undefined])];
    });
    const [first] = given;
    if (callee.type === 'MemberExpression') {
      const key = this.#key(callee.property, callee.computed, scope);
      const method = typeof key === 'string' ? key : '';
      if (callee.object.type === 'Identifier') {
        switch (callee.object.name) {
          case 'tools':
            return this.#called(method, first);
          case 'Promise':
            return promised(method, first);
          case 'JSON':
            return method === 'stringify' ? this.#written([first]) : undefined;
          case 'Object':
            return method === 'entries' || method === 'values' ? undefined : first;
        }
      }
      return this.#method(this.#value(callee.object, scope), method, given);
    }
    if (callee.type === 'Identifier') {
      const own = scope.get(callee.name);
      if (own?.kind === 'function') return this.#applied(own, given);
      if (callee.name === 'text' && this.prints.push(first) > MOST_PRINTS) {
        throw new RangeError('more texts than a model writes');
      }
      if (callee.name === 'String') return this.#written([first]);
      return undefined;
    }
    if (callee.type === 'Super') return undefined;
    const own = this.#value(callee, scope);
    return own?.kind === 'function' ? this.#applied(own, given) : undefined;
  }

  #called(name: string, given: Value | undefined): Value {
    if (this.calls.length >= MOST_CALLS) throw new RangeError('more calls than a model writes');
    this.calls.push({ name, input: this.#json(given) ?? null, isCertain: this.#doubts === 0 });
    return { kind: 'result', call: this.calls.length - 1, field: 'whole' };
  }

  /** A method of a value: of lists those that go over them, of texts those that make a text of it. */
  #method(
    of: Value | undefined,
    method: string,
    given: readonly (Value | undefined)[],
  ): Value | undefined {
    const [first] = given;
    const items = itemsIn(of);
    const own = first?.kind === 'function' ? first : null;
    if (own !== null && items !== null) {
      switch (method) {
        case 'map':
        case 'forEach':
        case 'flatMap': {
          const results = items.map((item, at) => this.#applied(own, [item, constant(at), of]));
          const flat = results.flatMap((result) => itemsIn(result) ?? [result]);
          return this.#list(method === 'flatMap' ? flat : results);
        }
      }
    }
    if (own !== null && method === 'then') return this.#applied(own, [of]);
    if (own !== null) {
      this.#inDoubt(() => this.#applied(own, []));
      return partOf(of);
    }
    if (method === 'join' && items !== null) {
      const between = given.length === 0 ? constant(',') : first;
      return this.#written(items.flatMap((item, at) => (at === 0 ? [item] : [between, item])));
    }
    if (method === 'concat' && items !== null) {
      return this.#list([...items, ...given.flatMap((one) => itemsIn(one) ?? [one])]);
    }
    if (method === 'trim' || method === 'toString') return of;
    return partOf(of);
  }

  #applied(
    { code, scope }: { code: Callable; scope: Scope },
    given: readonly (Value | undefined)[],
  ): Value | undefined {
    const inner = new Scope(scope);
    for (const [at, parameter] of code.params.entries()) {
      if (parameter.type === 'RestElement') {
        this.#bind(parameter.argument, { kind: 'list', items: given.slice(at) }, inner);
      } else this.#bind(parameter, given[at], inner);
    }
    if (code.body.type !== 'BlockStatement') return this.#value(code.body, inner);
    let returned: Value | undefined;
    for (const node of code.body.body) {
      if (node.type === 'ReturnStatement') {
        returned = node.argument ? this.#value(node.argument, inner) : undefined;
        break;
      }
      this.read([node], inner);
    }
    return returned;
  }

  #bind(target: AnyNode, value: Value | undefined, scope: Scope): void {
    this.#step();
    switch (target.type) {
      case 'Identifier':
        scope.declare(target.name, value);
        return;
      case 'AssignmentPattern':
        this.#bind(target.left, value ?? this.#value(target.right, scope), scope);
        return;
      case 'ArrayPattern': {
        const items = itemsIn(value);
        for (const [at, element] of target.elements.entries()) {
          if (element === null) continue;
          if (element.type === 'RestElement') {
            this.#bind(element.argument, { kind: 'list', items: items?.slice(at) ?? [] }, scope);
          } else this.#bind(element, items?.[at], scope);
        }
        return;
      }
      case 'ObjectPattern':
        for (const property of target.properties) {
          if (property.type === 'RestElement') continue;
          const key = this.#key(property.key, property.computed, scope);
          this.#bind(property.value, memberOf(value, key), scope);
        }
        return;
      default:
        return;
    }
  }

  #inDoubt<T>(read: () => T): T {
    this.#doubts++;
    const value = read();
    this.#doubts--;
    return value;
  }

  #json(value: Value | undefined): Json | undefined {
    return jsonOf(value, (characters) => this.#step(1 + characters / PER_STEP));
  }

  #written(pieces: readonly (Value | undefined)[]): Value {
    this.#step(pieces.length);
    const value = written(pieces);
    if (value.kind === 'json') this.#step(String(value.json).length / PER_STEP);
    return value;
  }

  #list(items: readonly (Value | undefined)[]): Value {
    if (items.length > LONGEST_LIST) throw new RangeError('a longer list than a model writes');
    this.#step(items.length / PER_STEP);
    return { kind: 'list', items };
  }

  #step(steps = 1): void {
    this.#steps += steps;
    if (this.#steps > MOST_STEPS) throw new RangeError('more steps than a model writes');
  }
}
