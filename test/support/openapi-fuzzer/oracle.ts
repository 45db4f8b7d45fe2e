import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonObject, type Json, type JsonObject, stringField } from '../../../src/domain/json.ts';
import type { Operation } from './document.ts';

/** What came back for a request; `text` is the whole body. */
export type Reply = { status: number; contentType: string; text: string };

const WORDS_OF_A_DETAIL = 3;

/**
 * Says what is wrong with a reply by the document that the service publishes of itself: server
 * errors, problems that say nothing, statuses and bodies that are not documented.
 */
export class Oracle {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #compiled = new Map<JsonObject, ValidateFunction>();

  constructor(document: JsonObject) {
    // Registered as a whole, so that its internal references resolve.
    this.#ajv.addSchema(document, 'openapi');
  }

  /** `operation`: null when the request was to no documented one. Null: nothing is wrong. */
  judge(operation: Operation | null, reply: Reply): string | null {
    if (reply.status >= 500) return 'the service failed';
    if (reply.status >= 400) return this.#judgeProblem(operation, reply);
    if (operation === null) return 'an undocumented operation was carried out';
    return this.#judgeBody(operation, reply);
  }

  #judgeProblem(operation: Operation | null, reply: Reply): string | null {
    // Under /v1 errors have the shape of OpenAI's, which the document says.
    if (operation?.path.startsWith('/v1/')) return this.#judgeBody(operation, reply);
    if (!reply.contentType.startsWith('application/problem+json')) {
      return `a problem came as ${reply.contentType || 'nothing'}`;
    }
    const problem = parsed(reply.text);
    if (!isJsonObject(problem)) return 'a problem is no JSON object';
    if (problem.status !== reply.status) return `the problem speaks of ${String(problem.status)}`;
    const detail = stringField(problem, 'detail') ?? '';
    const words = detail.split(/\s+/).filter((word) => word !== '');
    if (words.length < WORDS_OF_A_DETAIL || detail === problem.title) {
      return `the detail says nothing: "${detail}"`;
    }
    if (operation === null) return null;
    return this.#judgeBody(operation, reply);
  }

  #judgeBody(operation: Operation, reply: Reply): string | null {
    const described = operation.responses.get(String(reply.status));
    if (described === undefined) return `status ${reply.status} is not documented`;
    if (reply.status === 204 || reply.status === 304) {
      return reply.text === '' ? null : `a ${reply.status} has a body`;
    }
    const type = reply.contentType.split(';', 1)[0]?.trim() ?? '';
    if (described.size === 0) return null;
    const schema = described.get(type);
    if (schema === undefined) return `content type "${type}" is not documented`;
    if (!/[/+]json$/.test(type)) return null;
    const body = parsed(reply.text);
    if (body === undefined) return 'the body is no JSON';
    const validate = this.#validator(schema);
    if (validate(body)) return null;
    return `the body is not as documented: ${this.#ajv.errorsText(validate.errors)}`;
  }

  #validator(schema: JsonObject): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    // References stand as "#/components/…": point them at the registered document.
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/');
    const validate = this.#ajv.compile(JSON.parse(text));
    this.#compiled.set(schema, validate);
    return validate;
  }
}

function parsed(text: string): Json | undefined {
  try {
    // JSON.parse yields exactly the values that Json names.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
